// Creating and extracting with any number of threads and with pauses at every hand-over: the same archive, the same
// files.
#include "ops/create.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "exec/delay.h"
#include "ops/archives.h"
#include "ops/extract.h"
#include "repo/test_repository.h"

namespace cairn::ops {
namespace {

namespace filesystem = std::filesystem;
using repo::testing::TestRepository;

std::string noise(std::size_t size, std::uint64_t seed) {
  std::string bytes(size, '\0');
  std::uint64_t state = seed;
  for (char& byte : bytes) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    byte = static_cast<char>(state >> 56U);
  }
  return bytes;
}

// The same objects on another disk.
std::shared_ptr<store::MemoryDisk> copy_of(const TestRepository& made) {
  auto disk = std::make_shared<store::MemoryDisk>();
  auto from = made.store();
  auto to = store::make_memory_store(disk);
  CAIRN_CHECK(to->create() && to->open(), "an empty store");
  for (const std::string_view space : store::kNamespaces) {
    const auto entries = from->list(space);
    CAIRN_CHECK(entries, "listing");
    for (const auto& entry : *entries) {
      const std::string name = std::string(space) + "/" + entry.name;
      Buffer value;
      CAIRN_CHECK(from->load(name, value) && to->put(name, value), "copying");
    }
  }
  return disk;
}

class CreateLog final : public CreateObserver {
 public:
  void status(char letter, const std::string& path) override { lines.push_back(std::string(1, letter) + " " + path); }
  void warning(const std::string& /*path*/, const Error& error) override { warnings.push_back(error.message()); }
  void complaint(const std::string& /*path*/, const std::string& message, std::string_view /*reason*/) override {
    warnings.push_back(message);
  }
  void progress(const CreateProgress& now) override { in_progress.push_back(now.path); }
  std::vector<std::string> lines, warnings, in_progress;
};

class ExtractLog final : public ExtractObserver {
 public:
  void listed(char /*what*/, const std::string& path) override { paths.push_back(path); }
  void removed(const std::string& /*path*/) override {}
  void warning(const std::string& /*path*/, const Error& error) override {
    const std::lock_guard lock(mutex);
    warnings.push_back(error.message());
  }
  void incomplete() override { warning({}, Error(Code::Backup, "incomplete")); }
  Status write(Bytes bytes) override {
    content.append(text_of(bytes));
    return {};
  }
  void total(std::uint64_t bytes) override { expected = bytes; }
  void progress(std::uint64_t bytes, const std::string& /*path*/) override { done += bytes; }
  void directories(std::uint64_t count) override { directories_left = count; }
  void directory_done() override { --directories_left; }
  std::mutex mutex;
  std::uint64_t directories_left = 99;
  std::vector<std::string> paths, warnings;
  std::string content;
  std::uint64_t expected = 0;
  std::atomic<std::uint64_t> done = 0;
};

class CreateTest : public repo::testing::HomeTest {
 protected:
  void SetUp() override {
    ::setenv("BORG_PACK_MAX_SIZE", "300000", 1);  // many packs
    tree_ = home() + "/tree";
    for (int d = 0; d < 12; ++d) {
      const std::string directory = tree_ + "/d" + std::to_string(d);
      filesystem::create_directories(directory + "/empty");
      for (int f = 0; f < 40; ++f) {
        write(directory + "/f" + std::to_string(f),
              noise(static_cast<std::size_t>(f * 97), static_cast<std::uint64_t>(d * 50 + f / 2)));
      }
    }
    write(tree_ + "/big", noise(900'000, 7));
    write(tree_ + "/zeros", std::string(300'000, '\0'));
    write(tree_ + "/mixed", noise(100'000, 8) + std::string(200'000, '\0') + noise(100'000, 8));
    for (const char* name : {"/d3/link", "/d5/link", "/link"})
      filesystem::create_hard_link(tree_ + "/big", tree_ + name);
    filesystem::create_symlink("d1/f2", tree_ + "/symlink");
    ::mkfifo((tree_ + "/fifo").c_str(), 0640);
    matcher_.set_fallback(true);
  }
  static void write(const std::string& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
    // Long ago, so that nothing counts as changed while it is read.
    const timespec times[2] = {{1'700'000'000, 5}, {1'700'000'001, 123'456'789}};
    ::utimensat(AT_FDCWD, path.c_str(), times, 0);
  }
  CreateRequest request(const std::string& name) {
    CreateRequest request;
    request.name = name;
    request.hostname = "host";
    request.username = "user";
    request.roots = {tree_};
    request.matcher = &matcher_;
    request.chunker = {.algorithm = chunk::Algorithm::FastCdc,
                       .min_exp = 10,
                       .max_exp = 16,
                       .mask_bits = 13,
                       .nc_level = 2,
                       .window = 4095,
                       .block_size = 0,
                       .header_size = 0,
                       .fail_map = {}};
    request.change_detection = ChangeDetection::Disabled;  // the files are as new as the test
    request.files_cache.enabled = false;
    request.want_status = true;
    return request;
  }
  Result<CreateResult> make(TestRepository& made, unsigned threads, const CreateRequest& request, CreateLog& log) {
    CAIRN_TRY(auto repository, made.open());
    exec::Pool pool(threads);
    return create(*repository, pool, request, log);
  }

  std::string tree_;
  match::Matcher matcher_;
};

TEST_F(CreateTest, AnyNumberOfThreadsMakesTheSameArchive) {
  TestRepository made("authenticated-blake3");
  std::vector<ChunkId> first_pointers;
  std::vector<std::string> first_lines;
  std::uint64_t first_new = 0;
  for (const unsigned threads : {1U, 2U, 3U, 8U, 33U}) {
    exec::set_delay_seed(threads);
    // The same keys and an empty store each time: a copy of the disk as it was.
    TestRepository fresh("authenticated-blake3");
    fresh.disk = copy_of(made);
    CreateLog log;
    const auto result = make(fresh, threads, request("a"), log);
    exec::set_delay_seed(0);
    ASSERT_TRUE(result) << result.error().text();
    EXPECT_TRUE(log.warnings.empty());
    if (first_pointers.empty()) {
      first_pointers = result->metadata.item_ptrs;
      auto repository = fresh.open();
      ASSERT_TRUE(repository);
      first_lines = log.lines;
      first_new = result->totals.deduplicated_size;
    } else {
      EXPECT_EQ(log.lines, first_lines) << threads;
      EXPECT_EQ(result->totals.deduplicated_size, first_new) << threads;
    }
    auto repository = fresh.open();
    ASSERT_TRUE(repository);
    exec::Pool pool(1);
    ASSERT_TRUE((*repository)->load_index(repo::BadFragments::Error, pool));
    const auto metadata = load_metadata(**repository, result->id);
    ASSERT_TRUE(metadata);
    if (threads == 1) first_pointers = metadata->item_ptrs;
    EXPECT_EQ(metadata->item_ptrs, first_pointers) << threads;
    EXPECT_EQ(metadata->nfiles, 12U * 40 + 6);
  }
}

TEST_F(CreateTest, ALimitOnReadersChangesNothing) {
  std::vector<std::string> lines;
  for (const char* readers : {"", "1", "2"}) {
    TestRepository made;
    exec::set_delay_seed(3);
    ::setenv("CAIRN_READERS", readers, 1);
    CreateLog log;
    const auto result = make(made, 4, request("a"), log);
    exec::set_delay_seed(0);
    ASSERT_TRUE(result) << result.error().text();
    if (lines.empty()) lines = log.lines;
    EXPECT_EQ(log.lines, lines) << readers;
  }
  for (const char* bad : {"0", "x", "1025"}) {
    TestRepository made;
    ::setenv("CAIRN_READERS", bad, 1);
    CreateLog log;
    const auto refused = make(made, 2, request("a"), log);
    ASSERT_FALSE(refused) << bad;
    EXPECT_EQ(refused.error().code(), Code::Usage);
  }
  ::unsetenv("CAIRN_READERS");
}

TEST_F(CreateTest, ProgressNamesPathsAsTheyAreStored) {
  TestRepository made;
  CreateLog log;
  const auto result = make(made, 2, request("a"), log);
  ASSERT_TRUE(result) << result.error().text();
  ASSERT_FALSE(log.in_progress.empty());
  for (const std::string& path : log.in_progress) EXPECT_NE(path.front(), '/') << path;
}

TEST_F(CreateTest, ExtractGivesTheTreeBackWithAnyNumberOfThreads) {
  TestRepository made;
  CreateLog log;
  const auto result = make(made, 3, request("a"), log);
  ASSERT_TRUE(result) << result.error().text();
  for (const unsigned threads : {1U, 2U, 3U, 8U, 33U}) {
    exec::set_delay_seed(threads);
    const std::string target = home() + "/out" + std::to_string(threads);
    filesystem::create_directories(target);
    auto repository = made.open();
    ASSERT_TRUE(repository);
    exec::Pool pool(threads);
    ASSERT_TRUE((*repository)->load_index(repo::BadFragments::Error, pool));
    const auto metadata = load_metadata(**repository, result->id);
    ASSERT_TRUE(metadata);
    ExtractLog extracted;
    ExtractRequest request{.target = target, .matcher = &matcher_};
    request.sparse = threads % 2 == 1;
    request.want_progress = true;
    const auto status = extract(**repository, pool, *metadata, request, extracted);
    exec::set_delay_seed(0);
    ASSERT_TRUE(status) << status.error().text();
    EXPECT_TRUE(extracted.warnings.empty());
    EXPECT_EQ(extracted.directories_left, 0U);
    const std::string root = target + tree_;
    std::size_t objects = 0;
    for (const auto& entry : filesystem::recursive_directory_iterator(tree_)) {
      const std::string copy = root + entry.path().string().substr(tree_.size());
      struct stat was{};
      struct stat is{};
      ASSERT_EQ(::lstat(entry.path().c_str(), &was), 0);
      ASSERT_EQ(::lstat(copy.c_str(), &is), 0) << copy;
      EXPECT_EQ(is.st_mode, was.st_mode) << copy;
      EXPECT_EQ(is.st_mtim.tv_sec, was.st_mtim.tv_sec) << copy;
      EXPECT_EQ(is.st_mtim.tv_nsec, was.st_mtim.tv_nsec) << copy;
      if (!S_ISDIR(was.st_mode)) {
        EXPECT_EQ(is.st_nlink, was.st_nlink) << copy;
      }
      if (S_ISREG(was.st_mode)) {
        auto read = [](const std::string& path) {
          std::ifstream file(path, std::ios::binary);
          return std::string(std::istreambuf_iterator<char>(file), {});
        };
        EXPECT_TRUE(read(entry.path()) == read(copy)) << copy;
      }
      ++objects;
    }
    EXPECT_EQ(objects, 12U * 42 + 3 + 1 + 2 + 2);
    filesystem::remove_all(target);
  }
}

// The files are too new for a files cache to be trusted; the archive before says what they were.
TEST_F(CreateTest, WithoutFilesCacheTheLastArchiveSaysWhatIsUnchanged) {
  TestRepository made;
  // What carries the newest time is never trusted: one more file takes that part.
  std::ofstream(tree_ + "/newest") << "n";
  CreateLog first;
  CreateRequest with_cache = request("a");
  with_cache.files_cache = {.enabled = true, .rechunk = false, .by_ctime = false, .by_size = true, .by_inode = true};
  ASSERT_TRUE(make(made, 2, with_cache, first));
  CreateLog second;
  filesystem::remove_all(home() + "/.cache");
  auto again = make(made, 2, with_cache, second);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->totals.files_stats['U'], 12U * 40 + 3);
  EXPECT_EQ(again->totals.files_stats['h'], 3U);
  EXPECT_EQ(again->totals.files_stats['A'], 1U);
}

TEST_F(CreateTest, AFailingStoreEndsTheRunWithItsErrorAndNoArchive) {
  for (const unsigned threads : {1U, 3U}) {
    for (std::uint64_t at = 2; at < 12; ++at) {
      TestRepository made;  // a store that refuses everything also keeps the lock of the run before
      auto repository =
          made.open({.kind = store::Fault::Kind::Fail, .at = at, .lasting = true, .error_number = ENOSPC});
      if (!repository) continue;
      exec::Pool pool(threads);
      CreateLog log;
      const auto result = create(**repository, pool, request("a"), log);
      ASSERT_FALSE(result) << at;
      EXPECT_EQ(result.error().code(), Code::NoSpace) << result.error().text();
      EXPECT_TRUE((*repository)->list_archives()->empty());
    }
  }
}

TEST_F(CreateTest, CtrlCEndsSoonAndKeepsWhatIsFinished) {
  TestRepository made;
  std::atomic<bool> interrupted{true};
  CreateRequest stopped = request("a");
  stopped.interrupted = &interrupted;
  CreateLog log;
  const auto result = make(made, 2, stopped, log);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), Code::Interrupted);
  ASSERT_TRUE(make(made, 2, request("a"), log));
}

}  // namespace
}  // namespace cairn::ops
