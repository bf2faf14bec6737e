#include "exec/pool.h"

#include <atomic>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "exec/budget.h"
#include "exec/delay.h"
#include "exec/memory_bound.h"
#include "exec/ordered.h"
#include "exec/threads.h"

namespace cairn::exec {
namespace {

class PoolSizes : public testing::TestWithParam<unsigned> {
 protected:
  void SetUp() override { set_delay_seed(GetParam()); }
  void TearDown() override { set_delay_seed(0); }
};
INSTANTIATE_TEST_SUITE_P(Threads, PoolSizes, testing::Values(1U, 2U, 3U, 8U, 33U));

TEST_P(PoolSizes, RunsEveryTaskOnce) {
  Pool pool(GetParam());
  std::atomic<int> sum = 0;
  for (int i = 1; i <= 500; ++i) {
    pool.submit(pool.main_worker(), i % 3 == 0 ? Lane::Finish : Lane::Begin, [&sum, i](Worker&) { sum += i; });
  }
  pool.drain();
  EXPECT_EQ(sum, 500 * 501 / 2);
  EXPECT_LT(pool.started(), GetParam());
}

TEST_P(PoolSizes, TasksMaySubmitAndWaitForFinishTasks) {
  Pool pool(GetParam());
  std::atomic<int> done = 0;
  for (int i = 0; i < 50; ++i) {
    pool.submit(pool.main_worker(), Lane::Begin, [&](Worker& worker) {
      auto left = std::make_shared<std::atomic<int>>(10);
      for (int k = 0; k < 10; ++k) {
        worker.pool().submit(worker, Lane::Finish, [&done, left](Worker& inner) {
          ++done;
          --*left;
          inner.pool().notify();
        });
      }
      worker.pool().wait_until(worker, Lane::Finish, [&] { return *left == 0; });
    });
  }
  pool.drain();
  EXPECT_EQ(done, 500);
}

TEST_P(PoolSizes, OrderedCommitsInOrderWhateverFinishesFirst) {
  Pool pool(GetParam());
  std::vector<int> seen;
  Ordered<int> ordered(pool, 7, [&](int&& value, Worker&) { seen.push_back(value); });
  for (int i = 0; i < 300; ++i) {
    const auto number = ordered.reserve(pool.main_worker());
    pool.submit(pool.main_worker(), Lane::Begin,
                [&ordered, number, i](Worker& worker) { ordered.complete(number, int{i}, worker); });
  }
  pool.drain();
  std::vector<int> expected(300);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(seen, expected);
  EXPECT_EQ(ordered.open(), 0U);
}

TEST_P(PoolSizes, BudgetIsNeverExceededEvenWithOneSlab) {
  Pool pool(GetParam());
  Budget budget(pool, 1000);
  std::atomic<int> done = 0;
  for (int i = 0; i < 200; ++i) {
    pool.submit(pool.main_worker(), Lane::Begin, [&](Worker& worker) {
      auto lease = std::make_shared<Lease>(budget.acquire(worker, 1000));
      worker.pool().submit(worker, Lane::Finish, [lease, &done](Worker&) { ++done; });
    });
  }
  pool.drain();
  EXPECT_EQ(done, 200);
  EXPECT_EQ(budget.peak(), 1000U);
}

TEST_P(PoolSizes, SpareRunsEveryPartOnce) {
  Pool pool(GetParam());
  std::atomic<int> parts = 0;
  for (int round = 0; round < 20; ++round) {
    pool.submit(pool.main_worker(), Lane::Begin, [&](Worker& worker) {
      std::vector<std::atomic<int>> hits(37);
      worker.spare().run(hits.size(), [&](std::size_t i) { ++hits[i]; });
      for (const auto& hit : hits) parts += hit == 1 ? 1 : 1000;
    });
  }
  pool.drain();
  EXPECT_EQ(parts, 20 * 37);
}

TEST(Pool, OneTaskStartsNoThread) {
  Pool pool(8);
  int ran = 0;
  pool.submit(pool.main_worker(), Lane::Begin, [&](Worker& worker) { ran += worker.index() == 0 ? 1 : 100; });
  pool.drain();
  EXPECT_EQ(ran, 1);
  EXPECT_EQ(pool.started(), 0U);
}

TEST(Pool, FinishTasksGoFirst) {
  Pool pool(2);
  // Without further threads started (one task queued at a time), the owner itself shows the order.
  std::vector<char> order;
  pool.submit(pool.main_worker(), Lane::Begin, [&](Worker&) { order.push_back('b'); });
  EXPECT_TRUE(pool.help(pool.main_worker(), Lane::Begin));
  EXPECT_FALSE(pool.help(pool.main_worker(), Lane::Begin));
  pool.submit(pool.main_worker(), Lane::Begin, [&](Worker&) { order.push_back('b'); });
  EXPECT_FALSE(pool.help(pool.main_worker(), Lane::Finish));
  pool.drain();
  EXPECT_EQ(order.size(), 2U);
}

TEST(MemoryBound, NeverMoreThanTheCapAtOnceAndNestedCallsPass) {
  const MemoryPolicy before = memory_policy();
  set_memory_policy({.threads = 33, .cap = 3, .small = 10});
  std::atomic<int> inside = 0;
  std::atomic<int> most = 0;
  {
    Pool pool(33);
    for (int i = 0; i < 300; ++i) {
      pool.submit(pool.main_worker(), Lane::Begin, [&](Worker&) {
        memory_bound(11, [&] {
          const int now = ++inside;
          for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
          }
          memory_bound(11, [&] { return 0; });
          --inside;
          return 0;
        });
      });
    }
  }
  set_memory_policy(before);
  EXPECT_LE(most, 3);
  EXPECT_GE(most, 1);
}

TEST(Threads, DefaultIsAtLeastOneAndTextIsChecked) {
  EXPECT_GE(default_threads(), 1U);
  EXPECT_EQ(*parse_threads("7"), 7U);
  for (const char* bad : {"", "0", "x", "1x", "-1", "1025"}) EXPECT_FALSE(parse_threads(bad)) << bad;
}

}  // namespace
}  // namespace cairn::exec
