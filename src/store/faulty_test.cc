#include "store/faulty.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "store/counted.h"
#include "store/memory.h"
#include "store/posix.h"
#include "store/temporary_directory_for_test.h"

namespace cairn::store {
namespace {

std::unique_ptr<Store> opened(std::unique_ptr<Store> store) {
  EXPECT_TRUE(store->create());
  EXPECT_TRUE(store->open());
  return store;
}

TEST(Faulty, TheChosenOperationFailsAndDoesNothing) {
  auto store =
      make_faulty_store(opened(make_memory_store()), {.kind = Fault::Kind::Fail, .at = 2, .error_number = ENOSPC});
  EXPECT_TRUE(store->put("config/a", bytes_of("1")));
  Buffer out;
  EXPECT_TRUE(store->load("config/a", out));  // reads do not count
  const Status status = store->put("config/b", bytes_of("2"));
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code(), Code::NoSpace);
  EXPECT_FALSE(store->info("config/b")->exists);
  EXPECT_TRUE(store->put("config/b", bytes_of("2")));
}

TEST(Faulty, LastingFaultsStay) {
  auto store = make_faulty_store(opened(make_memory_store()), {.kind = Fault::Kind::Fail, .at = 2, .lasting = true});
  EXPECT_TRUE(store->put("config/a", bytes_of("1")));
  EXPECT_FALSE(store->put("config/a", bytes_of("1")));
  EXPECT_FALSE(store->sync());
  EXPECT_FALSE(store->remove("config/a"));
}

TEST(Faulty, DoneAndYetFailed) {
  auto store = make_faulty_store(opened(make_memory_store()), {.kind = Fault::Kind::FailAfter, .at = 1});
  EXPECT_FALSE(store->put("config/a", bytes_of("1")));
  EXPECT_TRUE(store->info("config/a")->exists);
}

TEST(Faulty, ReadsCountIfAskedTo) {
  auto counter = std::make_shared<OperationCounter>();
  auto store =
      make_faulty_store(opened(make_memory_store()), {.kind = Fault::Kind::Fail, .at = 2, .any = true}, counter);
  EXPECT_TRUE(store->info("config/a"));
  EXPECT_FALSE(store->list("config"));
  EXPECT_EQ(*counter, 2u);
}

TEST(Faulty, DiesBeforeOrAfterTheOperation) {
  for (const bool after : {false, true}) {
    const TemporaryDirectoryForTest directory;
    const std::string path = directory.path() + "/repo";
    opened(make_posix_store(path));
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      auto store = make_faulty_store(
          make_posix_store(path),
          {.kind = after ? Fault::Kind::DieAfter : Fault::Kind::DieBefore, .at = 2, .die = [] { ::_exit(42); }});
      if (!store->open() || !store->put("config/a", bytes_of("1"))) ::_exit(1);
      (void)store->put("config/b", bytes_of("2"));
      ::_exit(2);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(WEXITSTATUS(status), 42);
    auto store = make_posix_store(path);
    ASSERT_TRUE(store->open());
    EXPECT_TRUE(store->info("config/a")->exists);
    EXPECT_EQ(store->info("config/b")->exists, after);
  }
}

TEST(Faulty, ShortWriteLeavesHalfUnderATemporaryName) {
  const TemporaryDirectoryForTest directory;
  auto store =
      make_faulty_store(opened(make_posix_store(directory.path() + "/repo")), {.kind = Fault::Kind::Short, .at = 1});
  EXPECT_FALSE(store->put("packs/58" + std::string(62, '7'), bytes_of("12345678")));
  EXPECT_TRUE(store->list("packs")->empty());
  EXPECT_EQ(std::filesystem::file_size(directory.path() + "/repo/packs/58/tmphalfhalf.tmp"), 4u);
}

class RecordingClock final : public Clock {
 public:
  Nanoseconds now() const override { return 0; }
  Nanoseconds monotonic() const override { return time_ += kSecond; }
  void sleep(Nanoseconds duration) const override { slept_.push_back(duration); }
  mutable Nanoseconds time_ = 0;
  mutable std::vector<Nanoseconds> slept_;
};

TEST(Faulty, DelaysDependOnTheSeedAlone) {
  RecordingClock clocks[2];
  for (const RecordingClock& clock : clocks) {
    auto store = make_faulty_store(opened(make_memory_store()), {.longest_delay = 1000, .delay_seed = 7},
                                   std::make_shared<OperationCounter>(), clock);
    for (int i = 0; i < 5; ++i) EXPECT_TRUE(store->put("config/a", bytes_of("1")));
  }
  EXPECT_EQ(clocks[0].slept_.size(), 5u);
  EXPECT_EQ(clocks[0].slept_, clocks[1].slept_);
  for (const Nanoseconds delay : clocks[0].slept_) EXPECT_LE(delay, 1000);
}

TEST(Faulty, FaultTextsAreUnderstoodOrRefused) {
  EXPECT_EQ(parse_fault("kill-before:17")->kind, Fault::Kind::DieBefore);
  EXPECT_EQ(parse_fault("kill-after:17")->kind, Fault::Kind::DieAfter);
  EXPECT_EQ(parse_fault("kill-before-any:17")->any, true);
  EXPECT_EQ(parse_fault("short:17")->at, 17u);
  EXPECT_EQ(parse_fault("enospc:17+")->lasting, true);
  EXPECT_EQ(parse_fault("enospc:17")->error_number, ENOSPC);
  EXPECT_EQ(parse_fault("eio-after:3")->kind, Fault::Kind::FailAfter);
  EXPECT_EQ(parse_fault("count:/tmp/x")->count_file, "/tmp/x");
  for (const char* text : {"", "17", "eio", "eio:", "eio:x", "eio:0", "eio:1x", "burn:1", "count:", "eio:-1"}) {
    EXPECT_EQ(parse_fault(text).error().code(), Code::Usage) << text;
  }
}

TEST(Faulty, CountIsWrittenAtTheEnd) {
  const TemporaryDirectoryForTest directory;
  const std::string file = directory.path() + "/count";
  {
    auto store = make_faulty_store(opened(make_memory_store()), *parse_fault("count:" + file));
    EXPECT_TRUE(store->put("config/a", bytes_of("1")));
    EXPECT_TRUE(store->sync());
  }
  std::string text;
  std::ifstream(file) >> text;
  EXPECT_EQ(text, "2");
}

TEST(Counted, CallsBytesFailuresAndTimeAddUp) {
  const RecordingClock clock;
  auto statistics = std::make_shared<StoreStatistics>();
  auto store = make_counted_store(opened(make_memory_store()), statistics, clock);
  Buffer out;
  EXPECT_TRUE(store->put("config/a", bytes_of("12345")));
  EXPECT_TRUE(store->load("config/a", out));
  EXPECT_TRUE(store->load_range("config/a", 1, 2, out));
  EXPECT_FALSE(store->load("config/b", out));
  EXPECT_EQ(statistics->of(Operation::Put).bytes, 5u);
  EXPECT_EQ(statistics->of(Operation::Load).calls, 3u);
  EXPECT_EQ(statistics->of(Operation::Load).failures, 1u);
  EXPECT_EQ(statistics->of(Operation::Load).bytes, 7u);
  EXPECT_DOUBLE_EQ(statistics->of(Operation::Load).seconds, 3.0);
  EXPECT_EQ(statistics->total().calls, 4u);
  EXPECT_STREQ(name_of(Operation::Sync), "sync");
}

TEST(MemoryDisk, WhatWasSyncedSurvivesAPowerLoss) {
  bool lost = false;
  bool kept = false;
  for (std::uint64_t seed = 0; seed < 16; ++seed) {
    auto disk = std::make_shared<MemoryDisk>();
    auto store = opened(make_memory_store(disk));
    ASSERT_TRUE(store->put("config/a", bytes_of("durable")));
    ASSERT_TRUE(store->sync());
    ASSERT_TRUE(store->put("config/a", bytes_of("newer")));
    ASSERT_TRUE(store->put("config/b", bytes_of("new")));
    disk->lose_power(seed);
    Buffer out;
    ASSERT_TRUE(store->load("config/a", out));
    EXPECT_TRUE(text_of(out) == "durable" || text_of(out) == "newer");
    (store->info("config/b")->exists ? kept : lost) = true;
  }
  EXPECT_TRUE(lost);
  EXPECT_TRUE(kept);
}

}  // namespace
}  // namespace cairn::store
