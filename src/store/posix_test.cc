// What is particular to the directory tree; what all stores share is in conformance_test.cc.

#include "store/posix.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "store/temporary_directory_for_test.h"

namespace cairn::store {
namespace {

namespace fs = std::filesystem;
const std::string kKey = "58" + std::string(62, '7');

class Posix : public testing::Test {
 protected:
  std::unique_ptr<Store> made(PosixOptions options = {}) {
    auto store = make_posix_store(path(), options);
    EXPECT_TRUE(store->create());
    EXPECT_TRUE(store->open());
    return store;
  }
  std::string path(std::string_view inside = "") const {
    return directory_.path() + "/repo" + (inside.empty() ? "" : "/") + std::string(inside);
  }
  static mode_t mode_of(const std::string& file) {
    struct stat facts{};
    EXPECT_EQ(::stat(file.c_str(), &facts), 0) << file;
    return facts.st_mode & 07777;
  }
  std::vector<std::string> files() const {
    std::vector<std::string> out;
    for (const auto& entry : fs::recursive_directory_iterator(path())) {
      if (entry.is_regular_file()) out.push_back(entry.path().lexically_relative(path()));
    }
    std::ranges::sort(out);
    return out;
  }
  TemporaryDirectoryForTest directory_;
};

class Umask {
 public:
  explicit Umask(mode_t mask) : old_(::umask(mask)) {}
  ~Umask() { ::umask(old_); }
  Umask(const Umask&) = delete;
  Umask& operator=(const Umask&) = delete;

 private:
  mode_t old_;
};

TEST_F(Posix, FilesAre0600AndDirectoriesFollowTheUmask) {
  for (const mode_t mask : {mode_t{022}, mode_t{077}}) {
    const Umask umask(mask);
    auto store = made();
    ASSERT_TRUE(store->put("config/config", bytes_of("x")));
    EXPECT_EQ(mode_of(path("config/config")), 0600u);
    EXPECT_EQ(mode_of(path("packs/00")), 0777u & ~mask);
    EXPECT_EQ(mode_of(path()), 0777u & ~mask);
    ASSERT_TRUE(store->destroy());
  }
}

TEST_F(Posix, CreateMakesParentsAndAllDirectories) {
  auto store = make_posix_store(path("a/b/c"), {});
  ASSERT_TRUE(store->create());
  for (const std::string_view space : kNamespaces) EXPECT_TRUE(fs::is_directory(path("a/b/c/" + std::string(space))));
  for (const char* pack : {"00", "9f", "ff"}) EXPECT_TRUE(fs::is_directory(path("a/b/c/packs/" + std::string(pack))));
}

TEST_F(Posix, CreateAcceptsAnEmptyDirectoryAndNothingElse) {
  fs::create_directory(path());
  ASSERT_TRUE(make_posix_store(path())->create());
  fs::create_directory(directory_.path() + "/other");
  std::ofstream(directory_.path() + "/other/file") << "x";
  EXPECT_EQ(make_posix_store(directory_.path() + "/other")->create().error().code(), Code::RepositoryAlreadyExists);
  EXPECT_EQ(make_posix_store(directory_.path() + "/other/file")->create().error().code(), Code::PathAlreadyExists);
  EXPECT_EQ(make_posix_store(directory_.path() + "/other/file")->open().error().code(), Code::RepositoryDoesNotExist);
}

TEST_F(Posix, ObjectsLieWhereBorgLooksForThem) {
  auto store = made();
  ASSERT_TRUE(store->put("packs/" + kKey, bytes_of("pack")));
  ASSERT_TRUE(store->put("archives/" + kKey, bytes_of("")));
  ASSERT_TRUE(store->move("archives/" + kKey, "archives/" + kKey + ".del"));
  EXPECT_EQ(files(), (std::vector<std::string>{"archives/" + kKey + ".del", "packs/58/" + kKey}));
}

TEST_F(Posix, MissingDirectoriesAreMadeByWritersAndBorneByReaders) {
  auto store = made();
  fs::remove(path("packs/58"));
  EXPECT_TRUE(store->list("packs")->empty());
  ASSERT_TRUE(store->put("packs/" + kKey, bytes_of("x")));
  EXPECT_EQ(store->list("packs")->size(), 1u);
  fs::remove(path("packs/99"));
  ASSERT_TRUE(store->move("packs/" + kKey, "packs/99" + std::string(62, '0')));
  fs::remove(path("keys"));
  EXPECT_EQ(store->list("keys").error().code(), Code::NotFound);
  ASSERT_TRUE(store->put("keys/" + kKey, bytes_of("x")));
  ASSERT_TRUE(store->sync());
}

TEST_F(Posix, ForeignFilesAreNotListed) {
  auto store = made();
  ASSERT_TRUE(store->put("packs/" + kKey, bytes_of("x")));
  for (const char* name : {"packs/58/tmpabcdefgh.tmp", "packs/58/README", "packs/58/a b", "packs/stray", "packs/59/58",
                           "config/Thumbs.db", "config/x.hid"}) {
    std::ofstream(path(name)) << "x";
  }
  fs::create_directory(path("config/directory"));
  fs::create_symlink("/nonexistent", path("config/dangling"));
  EXPECT_EQ(*store->list_names("packs"), std::vector<std::string>{kKey});
  EXPECT_EQ(store->list("packs")->size(), 1u);
  EXPECT_TRUE(store->list("config")->empty());
  EXPECT_TRUE(store->list_names("config")->empty());
}

TEST_F(Posix, LinkedDirectoriesAndFilesAreFollowed) {
  auto store = made();
  ASSERT_TRUE(store->put("config/config", bytes_of("value")));
  fs::rename(path("config/config"), directory_.path() + "/elsewhere");
  fs::create_symlink(directory_.path() + "/elsewhere", path("config/config"));
  EXPECT_EQ(store->list("config")->at(0).size, 5u);
  EXPECT_EQ(store->list_names("config")->size(), 1u);
  fs::create_directory_symlink(path(), directory_.path() + "/link");
  auto linked = make_posix_store(directory_.path() + "/link");
  ASSERT_TRUE(linked->open());
  EXPECT_EQ(linked->info("config/config")->size, 5u);
}

TEST_F(Posix, DestroyDoesNotFollowLinks) {
  auto store = made();
  fs::create_directory(directory_.path() + "/precious");
  std::ofstream(directory_.path() + "/precious/file") << "x";
  fs::create_directory_symlink(directory_.path() + "/precious", path("packs/link"));
  ASSERT_TRUE(store->destroy());
  EXPECT_FALSE(fs::exists(path()));
  EXPECT_TRUE(fs::exists(directory_.path() + "/precious/file"));
}

TEST_F(Posix, DirectoriesAndPipesAreNoObjects) {
  auto store = made();
  Buffer out;
  fs::create_directory(path("config/directory"));
  ASSERT_EQ(::mkfifo(path("config/pipe").c_str(), 0600), 0);
  EXPECT_FALSE(store->load("config/directory", out));
  EXPECT_FALSE(store->load("config/pipe", out));
  EXPECT_TRUE(store->list("config")->empty());
}

TEST_F(Posix, FailedWriteLeavesNothingAndNamesTheObject) {
  auto store = made();
  ASSERT_TRUE(store->put("config/config", bytes_of("old")));
  rlimit old{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old), 0);
  const rlimit tight{1000, old.rlim_max};
  auto* const handler = ::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &tight), 0);
  const Status status = store->put("config/config", bytes_of(std::string(5000, 'x')));
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &old), 0);
  ::signal(SIGXFSZ, handler);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code(), Code::Io);
  EXPECT_EQ(status.error().os_error(), EFBIG);
  EXPECT_NE(status.error().message().find("config/config"), std::string::npos);
  EXPECT_EQ(files(), std::vector<std::string>{"config/config"});
  Buffer out;
  ASSERT_TRUE(store->load("config/config", out));
  EXPECT_EQ(text_of(out), "old");
}

TEST_F(Posix, RenameOntoADirectoryLeavesNoTemporaryFile) {
  auto store = made();
  fs::create_directory(path("config/taken"));
  EXPECT_FALSE(store->put("config/taken", bytes_of("x")));
  EXPECT_TRUE(files().empty());
}

TEST_F(Posix, TemporaryFilesAreNeverVisible) {
  auto store = made();
  std::atomic<bool> done = false;
  std::atomic<int> seen = 0;
  std::thread reader([&] {
    while (!done) {
      const std::vector<Entry> entries = *store->list("config");
      for (const Entry& entry : entries) {
        if (entry.name != "config" || entry.size != 100000) ++seen;
      }
    }
  });
  for (int i = 0; i < 200; ++i) ASSERT_TRUE(store->put("config/config", bytes_of(std::string(100000, 'x'))));
  done = true;
  reader.join();
  EXPECT_EQ(seen, 0);
}

TEST_F(Posix, OnlyOldTemporariesAreRemoved) {
  auto store = made();
  const auto leave = [&](const std::string& name, time_t age) {
    std::ofstream(path(name)) << "x";
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME, &now);
    const timespec times[2] = {{now.tv_sec - age, 0}, {now.tv_sec - age, 0}};
    ASSERT_EQ(::utimensat(AT_FDCWD, path(name).c_str(), times, 0), 0);
  };
  leave("packs/58/tmpaaaaaaaa.tmp", 90000);
  leave("config/tmpbbbbbbbb.tmp", 90000);
  leave("config/tmpcccccccc.tmp", 80000);
  leave("config/config", 90000);
  fs::remove(path("packs/59"));
  EXPECT_EQ(*store->remove_stale_temporaries(), 2u);
  EXPECT_EQ(files(), (std::vector<std::string>{"config/config", "config/tmpcccccccc.tmp"}));
}

TEST_F(Posix, ShortenedFileGivesOnlyTheBytesThatExist) {
  auto store = made();
  ASSERT_TRUE(store->put("packs/" + kKey, bytes_of("0123456789")));
  Buffer out;
  ASSERT_TRUE(store->load_range("packs/" + kKey, 0, 10, out));
  fs::resize_file(path("packs/58/" + kKey), 4);
  ASSERT_TRUE(store->load_range("packs/" + kKey, 2, 8, out));
  EXPECT_EQ(text_of(out), "23");
}

TEST_F(Posix, OpeningWithoutAQuotaDeletesTheCount) {
  auto store = made();
  std::ofstream(path("quota.hid")) << "77";
  ASSERT_TRUE(make_posix_store(path())->open());
  EXPECT_FALSE(fs::exists(path("quota.hid")));
  EXPECT_FALSE(store->quota()->has_value());
}

TEST_F(Posix, QuotaAllowsExactlyTheLimit) {
  auto store = made({.quota_limit = 100});
  ASSERT_TRUE(store->put("config/a", bytes_of(std::string(60, 'x'))));
  ASSERT_TRUE(store->put("config/b", bytes_of(std::string(40, 'x'))));
  const Status over = store->put("config/c", bytes_of("x"));
  ASSERT_FALSE(over);
  EXPECT_EQ(over.error().code(), Code::NoSpace);
  EXPECT_FALSE(store->info("config/c")->exists);
  ASSERT_TRUE(store->put("config/a", bytes_of(std::string(50, 'x'))));
  ASSERT_TRUE(store->put("config/c", bytes_of(std::string(10, 'x'))));
  ASSERT_TRUE(store->remove("config/b"));
  EXPECT_EQ((*store->quota())->usage, 60u);
  EXPECT_EQ((*store->quota())->limit, 100u);
}

TEST_F(Posix, QuotaCountIsScannedOrReadAndSaved) {
  {
    auto store = made({.quota_limit = 1000});
    ASSERT_TRUE(store->put("config/a", bytes_of(std::string(60, 'x'))));
  }
  const auto saved = [&] {
    std::string text;
    std::ifstream(path("quota.hid")) >> text;
    return text;
  };
  EXPECT_EQ(saved(), "60");
  std::ofstream(path("quota.hid")) << "not a number";
  {
    auto store = make_posix_store(path(), {.quota_limit = 1000});
    ASSERT_TRUE(store->open());
    EXPECT_EQ((*store->quota())->usage, 60u);
  }
  std::ofstream(path("quota.hid")) << "500";
  // Two clients at once: both differences reach the file.
  {
    auto first = make_posix_store(path(), {.quota_limit = 1000});
    auto second = make_posix_store(path(), {.quota_limit = 1000});
    ASSERT_TRUE(first->open());
    ASSERT_TRUE(second->open());
    ASSERT_TRUE(first->put("config/b", bytes_of("12345")));
    ASSERT_TRUE(second->put("config/c", bytes_of("123")));
    ASSERT_TRUE(second->remove("config/a"));
  }
  EXPECT_EQ(saved(), "448");
}

TEST_F(Posix, FailedSyncStaysFailed) {
  auto store = made();
  ASSERT_TRUE(store->put("config/config", bytes_of("x")));
  // A name that is a file where a directory was written cannot be opened for fsync.
  fs::remove_all(path("config"));
  std::ofstream(path("config")) << "x";
  const Status first = store->sync();
  ASSERT_FALSE(first);
  fs::remove(path("config"));
  fs::create_directory(path("config"));
  const Status second = store->sync();
  ASSERT_FALSE(second);
  EXPECT_EQ(first.error().message(), second.error().message());
  ASSERT_TRUE(store->open());
  EXPECT_TRUE(store->sync());
}

}  // namespace
}  // namespace cairn::store
