#include "exec/pool.h"

#include <algorithm>
#include <atomic>
#include <latch>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "exec/budget.h"
#include "exec/delay.h"
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

TEST(Pool, LongWorkSpreadsWhatWaits) {
  Pool pool(4);
  pool.expect_long_work();
  EXPECT_EQ(pool.started(), 0U);  // nothing waits for this thread
  std::latch ran(1);
  pool.submit(pool.main_worker(), Lane::Begin, [&](Worker& worker) {
    EXPECT_NE(worker.index(), 0U);
    ran.count_down();
  });
  EXPECT_EQ(pool.started(), 0U);
  pool.expect_long_work();
  EXPECT_EQ(pool.started(), 1U);
  ran.wait();  // the owner is busy with something else
}

TEST_P(PoolSizes, HelpersAreStartedOnDemandAndNeverTooMany) {
  Pool pool(GetParam());
  pool.expect_helpers(3);
  EXPECT_EQ(pool.started(), std::min(3U, GetParam() - 1));
  pool.expect_helpers(2);
  EXPECT_EQ(pool.started(), std::min(3U, GetParam() - 1));
  pool.expect_helpers(1000);
  EXPECT_EQ(pool.started(), GetParam() - 1);
}

TEST_P(PoolSizes, BeginTasksAreLimited) {
  for (const unsigned limit : {1U, 2U, 5U}) {
    Pool pool(GetParam());
    pool.limit_begin(limit);
    std::atomic<unsigned> now = 0;
    std::atomic<unsigned> most = 0;
    std::atomic<int> ended = 0;
    for (int i = 0; i < 200; ++i) {
      pool.submit(pool.main_worker(), Lane::Begin, [&](Worker& worker) {
        const unsigned mine = ++now;
        for (unsigned seen = most; mine > seen && !most.compare_exchange_weak(seen, mine);) {
        }
        hand_over();
        worker.pool().submit(worker, Lane::Finish, [&ended](Worker&) { ++ended; });
        --now;
      });
    }
    pool.drain();
    EXPECT_LE(most, limit);
    EXPECT_EQ(ended, 200);
  }
}

TEST(Threads, DefaultIsAtLeastOneAndTextIsChecked) {
  EXPECT_GE(default_threads(), 1U);
  EXPECT_EQ(*parse_threads("7"), 7U);
  for (const char* bad : {"", "0", "x", "1x", "-1", "1025"}) EXPECT_FALSE(parse_threads(bad)) << bad;
}

}  // namespace
}  // namespace cairn::exec
