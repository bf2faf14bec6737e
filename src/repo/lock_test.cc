#include "repo/lock.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"
#include "repo/test_repository.h"

namespace cairn::repo {
namespace {

using testing::TestRepository;

class FakeClock final : public Clock {
 public:
  Nanoseconds now() const override { return wall; }
  Nanoseconds monotonic() const override { return ticks; }
  void sleep(Nanoseconds duration) const override { advance(duration); }
  void advance(Nanoseconds duration) const {
    wall += duration;
    ticks += duration;
  }
  mutable Nanoseconds wall = 1'796'050'000 * kSecond;
  mutable Nanoseconds ticks = 1000 * kSecond;
};

class LockTest : public ::testing::Test {
 protected:
  LockTest() {
    store_ = store::make_memory_store(disk_, clock_);
    CAIRN_CHECK(store_->create() && store_->open(), "store");
  }
  LockOptions options(bool exclusive, std::string host = "me@1", long process = 0) {
    return {.exclusive = exclusive,
            .wait = 10 * kSecond,
            .host_id = std::move(host),
            .process_id = process,
            .on_lost = nullptr,
            .clock = &clock_,
            .timer = false};
  }
  Result<std::unique_ptr<Lock>> acquire(bool exclusive, std::string host = "me@1", long process = 0) {
    return Lock::acquire(*store_, objects_, options(exclusive, std::move(host), process));
  }
  std::size_t count() { return store_->list_names("locks")->size(); }
  void put_lock(bool exclusive, const std::string& host, long process, Nanoseconds time) {
    const auto sealed = objects_.seal_hashed(
        "locks",
        bytes_of(fmt::format(R"({{"exclusive": {}, "hostid": "{}", "processid": {}, "threadid": 0, "time": "{}"}})",
                             exclusive, host, process, lock_time_text(time))));
    ASSERT_TRUE(store_->put(sealed->name, sealed->envelope));
  }
  static long dead_process() {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(0);
    ::waitpid(child, nullptr, 0);
    return child;
  }

  FakeClock clock_;
  std::shared_ptr<store::MemoryDisk> disk_ = std::make_shared<store::MemoryDisk>();
  std::unique_ptr<store::Store> store_;
  const crypt::Suite suite_ = *crypt::find_suite("aes256-ocb", "blake3");
  const crypt::KeyMaterial material_ = crypt::make_key_material(RepositoryId{});
  StoreObjects objects_{suite_, material_, RepositoryId{}};
};

TEST_F(LockTest, SharedLocksLiveTogether) {
  const auto one = acquire(false);
  const auto two = acquire(false);
  ASSERT_TRUE(one);
  ASSERT_TRUE(two);
  EXPECT_EQ(count(), 2U);
  EXPECT_TRUE((*one)->release());
  EXPECT_EQ(count(), 1U);
}

TEST_F(LockTest, ExclusiveAndOthersDoNot) {
  {
    const auto shared = acquire(false);
    ASSERT_TRUE(shared);
    const auto exclusive = acquire(true);
    ASSERT_FALSE(exclusive);
    EXPECT_EQ(exclusive.error().code(), Code::LockTimeout);
    // The one that waited is no holder.
    EXPECT_EQ(exclusive.error().message().find("exclusive lock on host"), std::string::npos);
    EXPECT_NE(exclusive.error().message().find("shared lock on host"), std::string::npos);
    EXPECT_EQ(count(), 1U);  // the one that gave up left nothing
  }
  EXPECT_EQ(count(), 0U);
  const auto exclusive = acquire(true);
  ASSERT_TRUE(exclusive);
  EXPECT_FALSE(acquire(true));
  EXPECT_FALSE(acquire(false));
  EXPECT_EQ(count(), 1U);
}

TEST_F(LockTest, ADeadProcessOfThisHostHoldsNothing) {
  put_lock(true, "me@1", dead_process(), clock_.wall);
  EXPECT_TRUE(acquire(true));
}

TEST_F(LockTest, ALivingOrForeignProcessDoes) {
  put_lock(true, "me@1", ::getpid(), clock_.wall);
  EXPECT_FALSE(acquire(false));
  ASSERT_TRUE(Lock::break_all(*store_));
  put_lock(true, "other@2", dead_process(), clock_.wall);
  const auto refused = acquire(false);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message().find("other@2"), std::string::npos);
}

// A client whose clock is far behind writes fresh lock objects with old times.
TEST_F(LockTest, AForeignOldTimeWithAFreshObjectIsNotStale) {
  put_lock(true, "other@2", 1, clock_.wall - 100'000 * kSecond);
  EXPECT_FALSE(acquire(false));
  EXPECT_EQ(count(), 1U);
}

TEST_F(LockTest, AForeignLockGoesStaleByBothClocks) {
  put_lock(true, "other@2", 1, clock_.wall);
  clock_.advance(1801 * kSecond);
  EXPECT_TRUE(acquire(true));
}

TEST_F(LockTest, AForeignFutureTimeIsFresh) {
  put_lock(true, "other@2", 1, clock_.wall + 10LL * 365 * 86400 * kSecond);
  clock_.advance(5000 * kSecond);
  EXPECT_FALSE(acquire(false));
}

TEST_F(LockTest, UnreadableObjectsCountAsExclusiveUntilTheyAreOld) {
  ASSERT_TRUE(store_->put("locks/" + std::string(64, 'a'), bytes_of("what is this")));
  const auto refused = acquire(false);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message().find("unreadable"), std::string::npos);
  clock_.advance(1801 * kSecond);
  EXPECT_TRUE(acquire(false));
  EXPECT_EQ(count(), 0U);  // swept, and the temporary released
}

TEST_F(LockTest, RefreshMakesANewObjectAfterFifteenMinutes) {
  const auto lock = acquire(false);
  ASSERT_TRUE(lock);
  const auto first = store_->list_names("locks").value();
  clock_.advance(899 * kSecond);
  ASSERT_TRUE((*lock)->refresh());
  EXPECT_EQ(store_->list_names("locks").value(), first);
  clock_.advance(2 * kSecond);
  ASSERT_TRUE((*lock)->refresh());
  EXPECT_EQ(count(), 1U);
  EXPECT_NE(store_->list_names("locks").value(), first);
  ASSERT_TRUE((*lock)->check());
}

TEST_F(LockTest, RefreshComesAlsoWhenTheWallClockStandsStillOrJumps) {
  const auto lock = acquire(false);
  ASSERT_TRUE(lock);
  const auto first = store_->list_names("locks").value();
  clock_.wall -= 86400 * kSecond;
  clock_.ticks += 901 * kSecond;
  ASSERT_TRUE((*lock)->refresh());
  EXPECT_NE(store_->list_names("locks").value(), first);
}

TEST_F(LockTest, AKilledLockIsNoticedAndEndsTheRun) {
  std::string said;
  LockOptions wanted = options(false);
  wanted.on_lost = [&](Error error) { said = error.message(); };
  const auto lock = Lock::acquire(*store_, objects_, std::move(wanted));
  ASSERT_TRUE(lock);
  ASSERT_TRUE(Lock::break_all(*store_));
  clock_.advance(901 * kSecond);
  const auto refreshed = (*lock)->refresh();
  ASSERT_FALSE(refreshed);
  EXPECT_EQ(refreshed.error().code(), Code::LockTimeout);
  EXPECT_FALSE((*lock)->check());
  EXPECT_FALSE(said.empty());
  EXPECT_EQ(count(), 0U);
}

// Each operation of a refresh fails once; the lock must stay ours and the next refresh complete it.
TEST_F(LockTest, AFailedRefreshKeepsTheLock) {
  for (std::uint64_t skip = 1; skip <= 6; ++skip) {
    const auto counter = std::make_shared<store::OperationCounter>();
    // Counts everything; acquiring takes the same number of operations each time.
    std::uint64_t acquiring = 0;
    {
      auto probe_counter = std::make_shared<store::OperationCounter>();
      auto probe = store::make_faulty_store(store::make_memory_store(disk_, clock_),
                                            {.kind = store::Fault::Kind::None, .any = true}, probe_counter);
      ASSERT_TRUE(probe->open());
      const auto lock = Lock::acquire(*probe, objects_, options(false));
      ASSERT_TRUE(lock);
      acquiring = *probe_counter;
    }
    auto faulty =
        store::make_faulty_store(store::make_memory_store(disk_, clock_),
                                 {.kind = store::Fault::Kind::Fail, .at = acquiring + skip, .any = true}, counter);
    ASSERT_TRUE(faulty->open());
    {
      const auto lock = Lock::acquire(*faulty, objects_, options(false));
      ASSERT_TRUE(lock);
      clock_.advance(901 * kSecond);
      (void)(*lock)->refresh();
      EXPECT_TRUE((*lock)->check()) << skip;
      EXPECT_GE(count(), 1U) << skip;
      ASSERT_TRUE((*lock)->refresh()) << skip;
      EXPECT_EQ(count(), 1U) << skip;
      clock_.advance(901 * kSecond);
      ASSERT_TRUE((*lock)->refresh()) << skip;
      EXPECT_EQ(count(), 1U) << skip;
    }
    EXPECT_EQ(count(), 0U) << skip;
  }
}

// A disk that takes nothing more, or is mounted read-only.
TEST_F(LockTest, ReadersDoWithoutWhereNothingCanBeWritten) {
  int warnings = 0;
  set_log_sink([&](const LogRecord& record) { warnings += record.level == Level::Warning ? 1 : 0; });
  for (const int error : {ENOSPC, EROFS, EACCES, EPERM, EDQUOT}) {
    warnings = 0;
    auto store =
        store::make_faulty_store(store::make_memory_store(disk_, clock_),
                                 {.kind = store::Fault::Kind::Fail, .at = 1, .lasting = true, .error_number = error});
    ASSERT_TRUE(store->open());
    LockOptions reading = options(false);
    reading.may_go_without = true;
    {
      const auto lock = Lock::acquire(*store, objects_, reading);
      ASSERT_TRUE(lock) << error;
      EXPECT_EQ(warnings, 1);
      clock_.advance(2000 * kSecond);
      EXPECT_TRUE((*lock)->verify());
      EXPECT_TRUE((*lock)->release());
    }
    EXPECT_FALSE(Lock::acquire(*store, objects_, options(false))) << error;
    put_lock(true, "other@2", 1, clock_.wall);
    EXPECT_EQ(Lock::acquire(*store, objects_, reading).error().code(), Code::LockTimeout) << error;
    // One that is stale stays there and counts for nothing.
    ASSERT_TRUE(Lock::break_all(*store_));
    put_lock(true, "me@1", dead_process(), clock_.wall);
    EXPECT_TRUE(Lock::acquire(*store, objects_, reading)) << error;
    EXPECT_EQ(count(), 1U);
    ASSERT_TRUE(Lock::break_all(*store_));
  }
  set_log_sink(nullptr);
  auto broken = store::make_faulty_store(store::make_memory_store(disk_, clock_),
                                         {.kind = store::Fault::Kind::Fail, .at = 1, .lasting = true});
  ASSERT_TRUE(broken->open());
  LockOptions reading = options(false);
  reading.may_go_without = true;
  EXPECT_FALSE(Lock::acquire(*broken, objects_, reading));  // EIO says nothing about what can be written
}

TEST(LockTime, TextsGoBothWays) {
  EXPECT_EQ(lock_time_text(1'796'048'529'912'000'000), "2026-11-30T14:22:09.912+00:00");
  EXPECT_EQ(parse_lock_time("2026-11-30T14:22:09.912+00:00"), 1'796'048'529'912'000'000);
  for (const char* bad :
       {"", "2026-11-30T14:22:09.912", "2026-11-30T14:22:09.912+01:00", "2026-11-30T14:22:09+00:00",
        "2910-11-30T14:22:09.912+00:00", "-999-11-30T14:22:09.912+00:00", "2026-11-30T14:22:09.912+00:00x"}) {
    EXPECT_EQ(parse_lock_time(bad), std::nullopt) << bad;
  }
}

}  // namespace
}  // namespace cairn::repo
