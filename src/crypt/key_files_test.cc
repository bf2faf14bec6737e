#include "crypt/key_files.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "crypt/environment_test.h"
#include "crypt/key_blob.h"
#include "crypt/vectors_test.h"

namespace cairn::crypt {
namespace {

namespace fs = std::filesystem;

class KeyFiles : public testing::EnvironmentTest {
 protected:
  void SetUp() override {
    EnvironmentTest::SetUp();
    keys_ = home() + "/.config/borg/keys";
  }
  std::string new_text() const { return wrap(material_, "p", "l").value(); }
  static std::vector<std::string> names(const std::vector<KeyFile>& files) {
    std::vector<std::string> names;
    for (const KeyFile& file : files) names.push_back(fs::path(file.path).filename());
    return names;
  }
  static std::vector<std::string> listing(const std::string& directory) {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(directory)) names.push_back(entry.path().filename());
    std::sort(names.begin(), names.end());
    return names;
  }
  const KeyMaterial material_ = testing::vector_material();
  const RepositoryId repository_ = material_.repository_id;
  std::string keys_;
};

using Names = std::vector<std::string>;

TEST_F(KeyFiles, NoKeysDirectoryMeansNoKeys) {
  const auto found = find_key_files(repository_, "repo");
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->empty());
  EXPECT_FALSE(fs::exists(keys_));
}

TEST_F(KeyFiles, FittingFilesAreFoundByNameWhateverElseLiesThere) {
  const std::string text = new_text();
  write(keys_ + "/zeta", text);
  write(keys_ + "/alpha", new_text());
  write(keys_ + "/.hidden", new_text());
  write(keys_ + "/note.txt", "BORG_KEY of my aunt\n");
  write(keys_ + "/binary", std::string("\0\xff\x80", 3));
  write(keys_ + "/empty", "");
  write(keys_ + "/broken", text.substr(0, text.size() - 5));
  KeyMaterial other = testing::vector_material();
  other.repository_id.raw[3] ^= std::byte{1};
  write(keys_ + "/other", wrap(other, "p", "l").value());
  fs::create_directory(keys_ + "/subdirectory");
  ASSERT_EQ(::mkfifo((keys_ + "/fifo").c_str(), 0600), 0);
  fs::create_symlink("nowhere", keys_ + "/dangling");
  write(home() + "/elsewhere", new_text());
  fs::create_symlink(home() + "/elsewhere", keys_ + "/link");
  const auto found = find_key_files(repository_, "repo");
  ASSERT_TRUE(found);
  EXPECT_EQ(names(*found), (Names{".hidden", "alpha", "link", "zeta"}));
  EXPECT_EQ(found->back().text, text);
}

TEST_F(KeyFiles, KeysDirectoryFollowsTheEnvironment) {
  set("BORG_KEYS_DIR", home() + "/k");
  write(home() + "/k/one", new_text());
  EXPECT_EQ(names(*find_key_files(repository_, "repo")), Names{"one"});
  EXPECT_TRUE(is_in_keys_dir(home() + "/k/one"));
  EXPECT_TRUE(is_in_keys_dir(home() + "/./k/not-there"));
  EXPECT_FALSE(is_in_keys_dir(home() + "/one"));
}

TEST_F(KeyFiles, TheExplicitFileIsTheOnlyOneAndMustFit) {
  write(keys_ + "/one", new_text());
  const std::string path = home() + "/my key";
  set("BORG_KEY_FILE", path);
  EXPECT_EQ(find_key_files(repository_, "repo").error().code(), Code::NotFound);
  write(path, "rubbish");
  auto refused = find_key_files(repository_, "repo");
  EXPECT_EQ(refused.error().code(), Code::KeyfileInvalid);
  EXPECT_EQ(refused.error().message(), "Invalid key data for repository repo found in " + path + ".");
  KeyMaterial other = testing::vector_material();
  other.repository_id.raw[3] ^= std::byte{1};
  write(path, wrap(other, "p", "l").value());
  refused = find_key_files(repository_, "repo");
  EXPECT_EQ(refused.error().code(), Code::KeyfileMismatch);
  EXPECT_EQ(refused.error().message(), "Mismatch between repository repo and key file " + path + ".");
  const std::string text = new_text();
  write(path, text.substr(0, text.size() - 5));
  EXPECT_EQ(find_key_files(repository_, "repo").error().code(), Code::KeyfileInvalid);
  write(path, text);
  const auto found = find_key_files(repository_, "repo");
  ASSERT_TRUE(found);
  ASSERT_EQ(found->size(), 1U);
  EXPECT_EQ(found->front().path, path);
  EXPECT_EQ(found->front().text, text);
  set("BORG_KEY_FILE", "");
  EXPECT_EQ(names(*find_key_files(repository_, "repo")), Names{"one"});
}

TEST_F(KeyFiles, ExplicitFileIsMadeAbsolute) {
  set("BORG_KEY_FILE", "some/key");
  EXPECT_EQ(explicit_key_file(), fs::current_path().string() + "/some/key");
  EXPECT_EQ(new_key_file_path("text"), fs::current_path().string() + "/some/key");
}

TEST_F(KeyFiles, NewKeysAreNamedByTheirId) {
  const std::string text = new_text();
  const std::string path = new_key_file_path(text);
  EXPECT_EQ(path, keys_ + "/" + key_id(text));
  ASSERT_TRUE(write_key_file(path, text, IfExists::Refuse));
  EXPECT_EQ(content(path), text);
  EXPECT_EQ(listing(keys_), Names{key_id(text)});
  struct stat status{};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0600U);
  ASSERT_EQ(::stat(keys_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0700U);
}

TEST_F(KeyFiles, ExistingKeysAreKeptOrReplacedWhole) {
  const std::string path = home() + "/key";
  write(path, "old");
  const Status refused = write_key_file(path, "new", IfExists::Refuse);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message(), "Aborting because key in \"" + path + "\" already exists.");
  EXPECT_EQ(content(path), "old");
  ASSERT_TRUE(write_key_file(path, "new", IfExists::Replace));
  EXPECT_EQ(content(path), "new");
  EXPECT_EQ(listing(home()), Names{"key"});  // and nothing temporary
}

TEST_F(KeyFiles, WritingWhereNoDirectoryIsFails) {
  EXPECT_EQ(write_key_file(home() + "/no/key", "x", IfExists::Replace).error().code(), Code::NotFound);
}

TEST_F(KeyFiles, ImportGoesOverAnExistingKey) {
  const std::string text = new_text();
  EXPECT_EQ(*import_key_file_path(text, repository_, "repo"), keys_ + "/" + key_id(text));
  write(keys_ + "/mine", new_text());
  EXPECT_EQ(*import_key_file_path(text, repository_, "repo"), keys_ + "/mine");
  set("BORG_KEY_FILE", "/explicit");
  EXPECT_EQ(*import_key_file_path(text, repository_, "repo"), "/explicit");
}

TEST_F(KeyFiles, ErasingOverwritesBeforeRemoving) {
  const std::string path = home() + "/key";
  const std::string text(5000, 's');
  write(path, text);
  const int witness = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_GE(witness, 0);
  ASSERT_TRUE(erase_key_file(path));
  EXPECT_FALSE(fs::exists(path));
  std::string left(6000, '\0');
  const ssize_t size = ::read(witness, left.data(), left.size());
  ::close(witness);
  EXPECT_EQ(size, 5000);
  EXPECT_EQ(left.find("ssss"), std::string::npos);
}

TEST_F(KeyFiles, ErasingSparesOtherNamesOfTheFile) {
  const std::string path = home() + "/key";
  write(path, "secret");
  fs::create_hard_link(path, home() + "/copy");
  ASSERT_TRUE(erase_key_file(path));
  EXPECT_FALSE(fs::exists(path));
  EXPECT_EQ(content(home() + "/copy"), "secret");
  fs::create_symlink(home() + "/copy", path);
  ASSERT_TRUE(erase_key_file(path));
  EXPECT_EQ(content(home() + "/copy"), "secret");
  EXPECT_EQ(erase_key_file(path).error().code(), Code::NotFound);
}

}  // namespace
}  // namespace cairn::crypt
