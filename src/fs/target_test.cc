#include "fs/target.h"

#include <gtest/gtest.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "fs/acl_text.h"
#include "fs/directory_cache.h"
#include "fs/scratch_for_tests.h"

namespace cairn::fs {
namespace {

class TargetOn : public testing::TestWithParam<std::tuple<std::string, std::size_t>> {
 protected:
  void SetUp() override {
    ASSERT_EQ(::mkdir((scratch_ / "root").c_str(), 0755), 0);
    ASSERT_EQ(::mkdir((scratch_ / "outside").c_str(), 0755), 0);
    scratch_.write("outside/precious", "precious");
    target_ = open();
  }
  void TearDown() override {
    // Whatever a test has done: nothing outside has changed.
    EXPECT_EQ(scratch_.lstat("outside/precious").st_size, 8);
    EXPECT_EQ(scratch_.lstat("outside/precious").st_nlink, 1U);
    EXPECT_EQ(read_directory(open_directory(scratch_.fd(), "outside", "x")->get(), "x")->size(), 1U);
  }
  std::unique_ptr<Target> open() const {
    auto target = Target::open(scratch_ / "root");
    EXPECT_TRUE(target);
    return std::move(*target);
  }
  struct stat lstat(const std::string& name) const { return scratch_.lstat("root/" + name); }
  void put(const std::string& name, const std::string& content = "x") {
    auto file = target_->create_file(name);
    ASSERT_TRUE(file) << file.error().text();
    ASSERT_EQ(::write(file->get(), content.data(), content.size()), static_cast<ssize_t>(content.size()));
  }
  // Every way to make something at `path`, each of which must fail with `code`.
  void expect_all_refused(const std::string& path, Code code, const std::string& message) {
    const auto check = [&](const auto& result) {
      ASSERT_FALSE(result) << path;
      EXPECT_EQ(result.error().code(), code) << result.error().text();
      EXPECT_EQ(result.error().message(), message);
    };
    check(target_->create_file(path));
    check(target_->make_directory(path));
    check(target_->make_symlink(path, "x"));
    check(target_->make_fifo(path, 0644));
    check(target_->make_device(path, S_IFCHR | 0644, makedev(1, 3)));
    check(target_->stat(path));
    check(target_->set_attributes(path, -1, {.mode = S_IFREG | 0644}));
    put("source_of_link");
    check(target_->make_link(path, "source_of_link"));
    check(target_->make_link("link_made", path));
    target_->clear("source_of_link", false);
    target_->clear(path, false);
  }

  Scratch scratch_{std::get<0>(GetParam())};
  KernelWithout without_{kernels_to_try()[std::get<1>(GetParam())]};
  std::unique_ptr<Target> target_;
};

INSTANTIATE_TEST_SUITE_P(Kernels, TargetOn,
                         testing::Combine(testing::ValuesIn(scratch_bases()), testing::Range<std::size_t>(0, 6)));

const char* const kTraversal = ": not extracted, path contains \"../\" (malicious or corrupted archive)";
const char* const kSymlinkParent = ": not extracted, a parent directory is a symlink (malicious or corrupted archive)";

TEST_P(TargetOn, MakesEveryKindWithParents) {
  put("a/b/c/file", "hello");
  EXPECT_EQ(lstat("a/b/c/file").st_mode, S_IFREG | 0600U);
  EXPECT_EQ(lstat("a/b/c/file").st_size, 5);
  EXPECT_TRUE(target_->make_directory("d/e"));
  EXPECT_TRUE(target_->make_directory("d/e"));
  EXPECT_TRUE(target_->make_directory("."));
  EXPECT_TRUE(target_->make_symlink("l/link", "../../anywhere"));
  EXPECT_EQ(*read_link(scratch_.fd(), "root/l/link", "x"), "../../anywhere");
  EXPECT_TRUE(target_->make_fifo("f/fifo", 0640));
  EXPECT_TRUE(S_ISFIFO(lstat("f/fifo").st_mode));
  EXPECT_TRUE(target_->make_link("h/second", "a/b/c/file"));
  EXPECT_EQ(lstat("h/second").st_ino, lstat("a/b/c/file").st_ino);
  EXPECT_TRUE(target_->make_link("h/link", "l/link"));
  EXPECT_TRUE(S_ISLNK(lstat("h/link").st_mode));
  if (is_root() && target_->make_device("n/null", S_IFCHR | 0640, makedev(1, 3))) {
    EXPECT_TRUE(S_ISCHR(lstat("n/null").st_mode));
    EXPECT_EQ(lstat("n/null").st_rdev, makedev(1, 3));
  }
  EXPECT_FALSE(target_->make_device("n/x", S_IFREG | 0640, 0));
  EXPECT_TRUE(target_->stat("a/b")->value().is_directory());
  EXPECT_TRUE(target_->stat("l/link")->value().is_symlink());
  EXPECT_FALSE(target_->stat("a/none")->has_value());
  EXPECT_FALSE(target_->stat("none/none/none")->has_value());
  EXPECT_TRUE(target_->stat(".")->value().is_directory());
}

TEST_P(TargetOn, ExistingObjectsAreNeverOverwritten) {
  put("file");
  EXPECT_EQ(target_->create_file("file").error().os_error(), EEXIST);
  EXPECT_EQ(target_->make_directory("file").error().os_error(), EEXIST);
  ASSERT_TRUE(target_->make_symlink("link", "../outside/precious"));
  EXPECT_EQ(target_->create_file("link").error().os_error(), EEXIST);
  EXPECT_EQ(target_->make_directory("link").error().os_error(), EEXIST);
}

TEST_P(TargetOn, OddPathsStayBelowTheRoot) {
  put("/etc//./passwd");
  EXPECT_TRUE(S_ISREG(lstat("etc/passwd").st_mode));
  EXPECT_EQ(target_->create_file(std::string("a\0b", 3)).error().os_error(), EINVAL);
  EXPECT_EQ(target_->make_symlink("s", std::string("a\0b", 3)).error().os_error(), EINVAL);
  EXPECT_EQ(target_->make_symlink("s", "").error().os_error(), EINVAL);
  EXPECT_FALSE(target_->create_file(""));
  EXPECT_FALSE(target_->create_file("."));
  target_->clear(".", false);
  target_->clear("", false);
  put("...");
  put("..x");
  const std::string name = "\xff\xfe\n\r\x1b[31m\"'";
  put("dir" + name + "/" + name);
  EXPECT_TRUE(S_ISREG(lstat("dir" + name + "/" + name).st_mode));
  put(std::string(255, 'n'));
  EXPECT_EQ(target_->create_file(std::string(256, 'n')).error().os_error(), ENAMETOOLONG);
  EXPECT_EQ(target_->create_file(std::string(5000, 'n') + "/x").error().os_error(), ENAMETOOLONG);
}

TEST_P(TargetOn, TraversalIsRefused) {
  ASSERT_TRUE(target_->make_directory("a"));
  for (const std::string path :
       {"..", "../outside/evil", "a/../../outside/evil", "a/..", "/..", "a/../b", "./../outside/precious", "..//x"}) {
    expect_all_refused(path, Code::BackupPathTraversal, path + kTraversal);
  }
}

TEST_P(TargetOn, SymlinkParentIsRefused) {
  ASSERT_TRUE(target_->make_symlink("evil", "../outside"));
  ASSERT_TRUE(target_->make_symlink("inside", "deep"));
  ASSERT_TRUE(target_->make_directory("deep/er"));
  ASSERT_TRUE(target_->make_symlink("deep/er/up", scratch_ / "outside"));
  ASSERT_TRUE(target_->make_symlink("absolute", "/proc/self/cwd"));
  put("file");
  for (const std::string path :
       {"evil/precious", "evil/sub/x", "inside/x", "deep/er/up/precious", "absolute/x", "file/x"}) {
    expect_all_refused(path, Code::BackupSymlinkParent, path + kSymlinkParent);
  }
}

TEST_P(TargetOn, LinksAreNotFollowedAtTheEnd) {
  ASSERT_TRUE(target_->make_symlink("evil", "../outside/precious"));
  // A hard link to the symbolic link itself, and attributes to it alone.
  ASSERT_TRUE(target_->make_link("second", "evil"));
  EXPECT_TRUE(S_ISLNK(lstat("second").st_mode));
  const struct stat before = scratch_.lstat("outside/precious");
  EXPECT_TRUE(target_->set_attributes("evil", -1, {.mode = S_IFLNK | 0777, .mtime = 5 * kSecond}));
  EXPECT_EQ(scratch_.lstat("outside/precious").st_mtim.tv_sec, before.st_mtim.tv_sec);
  EXPECT_EQ(lstat("evil").st_mtim.tv_sec, 5);
  // An item that says "regular file" while the object is a link now.
  EXPECT_EQ(target_->set_attributes("evil", -1, {.mode = S_IFREG | 0777}).error().code(), Code::Backup);
  EXPECT_EQ(target_->set_attributes("evil", -1, {.mode = S_IFDIR | 0777}).error().code(), Code::Backup);
  EXPECT_EQ(scratch_.lstat("outside/precious").st_mode, before.st_mode);
  target_->clear("evil", false);
  EXPECT_EQ(lstat("evil").st_mode, 0U);
}

TEST_P(TargetOn, ClearRemovesFilesAndEmptyDirectories) {
  put("file");
  target_->clear("file", true);
  EXPECT_EQ(lstat("file").st_mode, 0U);
  ASSERT_TRUE(target_->make_directory("empty"));
  target_->clear("empty", true);
  EXPECT_TRUE(S_ISDIR(lstat("empty").st_mode));
  target_->clear("empty", false);
  EXPECT_EQ(lstat("empty").st_mode, 0U);
  put("full/file");
  target_->clear("full", false);
  EXPECT_TRUE(S_ISREG(lstat("full/file").st_mode));
  target_->clear("none", false);
  target_->clear("none/at/all", false);
  EXPECT_EQ(lstat("none").st_mode, 0U);  // clearing makes no parents
}

TEST_P(TargetOn, DirectoryReplacedByLinkIsSeenAtOnce) {
  // All within one archive: a directory in use, then a link of its name, then a file below.
  put("a/b/file");
  target_->clear("a/b/file", false);
  target_->clear("a/b", false);
  ASSERT_TRUE(target_->make_symlink("a/b", "../../outside"));
  EXPECT_EQ(target_->create_file("a/b/evil").error().code(), Code::BackupSymlinkParent);
  EXPECT_EQ(target_->create_file("a/b/c/evil").error().code(), Code::BackupSymlinkParent);
}

TEST_P(TargetOn, DirectorySwappedBehindOurBackNeverLeadsOutside) {
  // The directory is held open when someone puts a link in its place: new files go into what was verified, not through
  // it.
  put("d/first");
  ASSERT_EQ(::rename((scratch_ / "root/d").c_str(), (scratch_ / "root/moved").c_str()), 0);
  ASSERT_EQ(::symlink("../outside", (scratch_ / "root/d").c_str()), 0);
  put("d/second");
  EXPECT_TRUE(S_ISREG(lstat("moved/second").st_mode));
  EXPECT_EQ(open()->create_file("d/third").error().code(), Code::BackupSymlinkParent);
}

TEST_P(TargetOn, HeldDirectoryThatWasRemovedIsMadeAnew) {
  put("p/d/first");
  ::unlink((scratch_ / "root/p/d/first").c_str());
  ::rmdir((scratch_ / "root/p/d").c_str());
  put("p/d/second");
  EXPECT_TRUE(S_ISREG(lstat("p/d/second").st_mode));
  ::unlink((scratch_ / "root/p/d/second").c_str());
  ::rmdir((scratch_ / "root/p/d").c_str());
  ::rmdir((scratch_ / "root/p").c_str());
  EXPECT_FALSE(target_->stat("p/d/second")->has_value());
  put("p/d/e/third");
  EXPECT_TRUE(S_ISREG(lstat("p/d/e/third").st_mode));
  EXPECT_TRUE(target_->stat("p/d/e/third")->has_value());
}

TEST_P(TargetOn, RacingSwapsNeverLeadOutside) {
  ASSERT_TRUE(target_->make_directory("deep/race"));
  ASSERT_EQ(::symlink("../../outside", (scratch_ / "root/deep/other").c_str()), 0);
  std::atomic<bool> stop{false};
  std::thread swapper([&] {
    const std::string one = scratch_ / "root/deep/race", two = scratch_ / "root/deep/other";
    while (!stop) ::renameat2(AT_FDCWD, one.c_str(), AT_FDCWD, two.c_str(), RENAME_EXCHANGE);
  });
  int made = 0, refused = 0;
  for (int i = 0; i < 400; ++i) {
    const auto fresh = open();  // no directory is held yet
    const std::string path = "deep/race/" + std::to_string(i);
    const auto file = fresh->create_file(path);
    if (file) ++made;
    if (!file && file.error().code() == Code::BackupSymlinkParent) ++refused;
    static_cast<void>(fresh->set_attributes("deep/race", -1, {.mode = S_IFDIR | 0755, .mtime = 1}));
    fresh->clear("deep/race/precious", false);
    static_cast<void>(fresh->make_link("deep/race/l" + std::to_string(i), "deep/race/precious"));
  }
  stop = true;
  swapper.join();
  EXPECT_EQ(made + refused, 400);
  EXPECT_GT(scratch_.lstat("outside").st_mtim.tv_sec, 1);
}

TEST_P(TargetOn, PathsBeyondPathMax) {
  std::string path;
  for (int i = 0; i < 45; ++i) path += std::string(100, static_cast<char>('a' + i % 26)) + "/";
  put(path + "file", "deep");
  EXPECT_EQ(stat_at(scratch_.fd(), "root/" + path + "file", false, "x")->size, 4U);
  EXPECT_TRUE(open()->stat(path + "file")->has_value());  // nothing held
  EXPECT_TRUE(open()->set_attributes(path, -1, {.mode = S_IFDIR | 0711}));
  EXPECT_EQ(stat_at(scratch_.fd(), "root/" + path + ".", false, "x")->mode, S_IFDIR | 0711U);
  ASSERT_TRUE(target_->make_link(path + "second", path + "file"));
  ASSERT_TRUE(target_->make_symlink(path + "link", "x"));
  EXPECT_EQ(open()->create_file(path + "link/x").error().code(), Code::BackupSymlinkParent);
}

TEST_P(TargetOn, VeryDeepPathsNeedNoStackAndLittleTime) {
  std::string path;
  for (int i = 0; i < 500'000; ++i) path += "d/";
  const auto found = target_->stat(path + "file");
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->has_value());
  target_->clear(path + "file", false);
  path.resize(600);
  put(path + "file");
  EXPECT_TRUE(open()->stat(path + "file")->has_value());
}

TEST_P(TargetOn, ManyThreadsShareParents) {
  std::vector<std::thread> threads;
  std::atomic<int> failures{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 100; ++i) {
        const std::string path = "p" + std::to_string(i % 30) + "/q" + std::to_string(i % 7) + "/f" +
                                 std::to_string(t) + "_" + std::to_string(i);
        auto file = target_->create_file(path);
        if (!file || !target_->set_attributes(path, file->get(), {.mode = S_IFREG | 0644, .mtime = i})) ++failures;
        if (i % 9 == 0) target_->clear("p" + std::to_string(i % 30), false);  // not empty: stays
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failures, 0);
}

TEST(TargetOpen, MissingRootSaysWhich) {
  const auto target = Target::open("/nowhere/at/all");
  ASSERT_FALSE(target);
  EXPECT_EQ(target.error().message(), "[Errno 2] No such file or directory: '/nowhere/at/all'");
}

TEST(DirectoryCache, HoldsTheMostRecentOnes) {
  DirectoryCache cache(3);
  const auto directory = [] { return std::make_shared<const Fd>(::open("/", O_PATH | O_DIRECTORY)); };
  for (const char* path : {"a", "a/b", "c"}) cache.add(path, directory());
  EXPECT_TRUE(cache.find("a"));
  cache.add("d", directory());
  EXPECT_FALSE(cache.find("a/b"));  // the least recently used
  EXPECT_TRUE(cache.find("a"));
  EXPECT_EQ(cache.size(), 3U);
  cache.add("d", directory());
  EXPECT_EQ(cache.size(), 3U);
}

TEST(DirectoryCache, DroppingTakesWhatIsBelowAndNoNeighbour) {
  DirectoryCache cache(10);
  const auto directory = std::make_shared<const Fd>(::open("/", O_PATH | O_DIRECTORY));
  for (const char* path : {"a", "a/b", "a/b/c", "ab", "a.b"}) cache.add(path, directory);
  cache.drop("a");
  EXPECT_EQ(cache.size(), 2U);
  EXPECT_TRUE(cache.find("ab"));
  EXPECT_TRUE(cache.find("a.b"));
  cache.drop_all();
  EXPECT_EQ(cache.size(), 0U);
}

class Removals final : public RemovalObserver {
 public:
  explicit Removals(std::vector<std::pair<std::string, Wanted>> wanted) : wanted_(std::move(wanted)) {}
  bool stopping() override { return stops_after-- == 0; }
  Wanted wanted(const std::string& path) override {
    for (const auto& [one, what] : wanted_) {
      if (one == path) return what;
    }
    return Wanted::Nothing;
  }
  void removed(const std::string& path) override { gone.push_back(path); }
  void left(const std::string& path, const Error& why) override { kept.push_back(path + " " + why.message()); }
  std::vector<std::string> sorted() const {
    auto copy = gone;
    std::ranges::sort(copy);
    return copy;
  }
  std::vector<std::string> gone, kept;
  int stops_after = -1;

 private:
  std::vector<std::pair<std::string, Wanted>> wanted_;
};

using Names = std::vector<std::string>;

TEST_P(TargetOn, RemovesWhatIsNotWanted) {
  for (const char* name : {"keep/a", "keep/b", "more/deep/er/x", "dir/x", "file"}) put(name);
  ASSERT_TRUE(target_->make_symlink("keep/link", "../../outside"));
  ASSERT_TRUE(target_->make_symlink("more/deep/link", "../../../outside"));
  ASSERT_TRUE(target_->make_symlink("link", "../outside"));
  const std::vector<std::pair<std::string, Wanted>> wanted{
      {"keep", Wanted::Directory}, {"keep/a", Wanted::Other}, {"dir", Wanted::Other}, {"file", Wanted::Directory}};
  const Names expected{"dir",  "dir/x",     "keep/b",       "keep/link",      "link",
                       "more", "more/deep", "more/deep/er", "more/deep/er/x", "more/deep/link"};
  auto sorted = expected;
  std::ranges::sort(sorted);
  Removals dry(wanted);
  target_->remove_unwanted(true, dry);
  EXPECT_EQ(dry.sorted(), sorted);
  EXPECT_TRUE(scratch_.exists("root/more/deep/er/x"));
  Removals real(wanted);
  target_->remove_unwanted(false, real);
  EXPECT_EQ(real.sorted(), sorted);
  EXPECT_EQ(real.kept, Names());
  EXPECT_TRUE(scratch_.exists("root/keep/a"));
  EXPECT_TRUE(scratch_.exists("root/file"));  // a directory will be made there: clear() takes it away
  for (const char* name : {"root/keep/b", "root/more", "root/dir", "root/link"}) EXPECT_FALSE(scratch_.exists(name));
}

TEST_P(TargetOn, RemovalStopsWhenAsked) {
  for (int i = 0; i < 20; ++i) put("d" + std::to_string(i) + "/x");
  Removals removals({});
  removals.stops_after = 8;
  target_->remove_unwanted(false, removals);
  EXPECT_LT(removals.gone.size(), 40U);
  EXPECT_EQ(removals.kept, Names());
}

TEST_P(TargetOn, RemovalOpensReadOnlyDirectoriesOfTheUser) {
  const std::string base = scratch_ / "root";
  ASSERT_EQ(::chmod(base.c_str(), 0777), 0);
  const std::string result = as_nobody([&]() -> std::string {
    auto target = Target::open(base);
    if (!target) return "not opened";
    for (const char* name : {"stay/x", "stay/y", "go/in/x"}) {
      if (!(*target)->create_file(name)) return name;
    }
    for (const char* name : {"/go/in", "/go", "/stay"}) ::chmod((base + name).c_str(), 0500);
    ::chmod((base + "/go/in").c_str(), 0);
    Removals removals({{"stay", Wanted::Directory}, {"stay/x", Wanted::Other}});
    (*target)->remove_unwanted(false, removals);
    if (!removals.kept.empty()) return removals.kept.front();
    return removals.sorted() == Names{"go", "go/in", "go/in/x", "stay/y"} ? "" : "something else was removed";
  });
  // Without /proc and the newer calls nobody can change a mode safely.
  if (!kernel().proc && !kernel().fchmodat2) return;
  EXPECT_EQ(result, "");
  EXPECT_EQ(lstat("stay").st_mode & 07777U, 0500U);
}

TEST_P(TargetOn, ExactAttributesTakeAwayOthers) {
  put("file");
  const std::string path = scratch_ / "root/file";
  if (::setxattr(path.c_str(), "user.old", "1", 1, 0) != 0) GTEST_SKIP() << "no extended attributes here";
  Attributes extra;
  extra.xattrs = {{"user.new", "2"}};
  RestoreAttributes wanted{.mode = S_IFREG | 0600, .extra = &extra};
  ASSERT_TRUE(target_->set_attributes("file", -1, wanted));
  EXPECT_EQ(scratch_.xattr("root/file", "user.old"), "1");
  wanted.exact = true;
  ASSERT_TRUE(target_->set_attributes("file", -1, wanted));
  EXPECT_EQ(scratch_.xattr("root/file", "user.old"), "(none)");
  EXPECT_EQ(scratch_.xattr("root/file", "user.new"), "2");
}

TEST_P(TargetOn, TimesAreLeftOutOnRequest) {
  put("file");
  const timespec before = lstat("file").st_mtim;
  RestoreAttributes wanted{.mode = S_IFREG | 0640, .mtime = 5 * kSecond};
  wanted.set_times = false;
  ASSERT_TRUE(target_->set_attributes("file", -1, wanted));
  EXPECT_EQ(lstat("file").st_mtim.tv_sec, before.tv_sec);
  EXPECT_EQ(lstat("file").st_mtim.tv_nsec, before.tv_nsec);
  EXPECT_EQ(lstat("file").st_mode & 07777U, 0640U);
}

}  // namespace
}  // namespace cairn::fs
