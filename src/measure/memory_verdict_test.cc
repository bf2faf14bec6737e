// What is concluded from bandwidth curves that are known.
#include "measure/memory_verdict.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace cairn::measure {
namespace {

// `runs` curves for 1 .. threads; factor(run, threads) disturbs them.
MemorySpeed speed_of(
    unsigned threads, unsigned saturated_at, std::size_t runs,
    const std::function<double(std::size_t, unsigned)>& factor = [](std::size_t, unsigned) { return 1.0; }) {
  MemorySpeed speed;
  for (unsigned n = 1; n <= threads; ++n) {
    MemoryPoint point{.threads = n};
    for (std::size_t run = 0; run < runs; ++run) {
      point.runs.push_back(10.0 * std::min(n, saturated_at) * factor(run, n));
    }
    speed.set.push_back(point);
    speed.copy.push_back(point);
    speed.hash.push_back(point);
  }
  return speed;
}

TEST(MemoryVerdict, KneeIsWhereMoreThreadsAddNothing) {
  const auto verdict = judge(speed_of(24, 6, 3));
  ASSERT_TRUE(verdict);
  EXPECT_TRUE(verdict->sure);
  EXPECT_EQ(verdict->knee, 6U);
  EXPECT_EQ(verdict->cap, 6U);
  EXPECT_EQ(verdict->spread, 0);
}

TEST(MemoryVerdict, MemoryThatKeepsUpNeedsNoCap) {
  const auto verdict = judge(speed_of(24, 24, 3));
  EXPECT_GE(verdict->knee, 22U);
  EXPECT_EQ(verdict->cap, 24U);
}

TEST(MemoryVerdict, FewThreadsKeepTheDefault) {
  const auto verdict = judge(speed_of(8, 3, 3));
  EXPECT_TRUE(verdict->sure);
  EXPECT_EQ(verdict->knee, 3U);
  EXPECT_EQ(verdict->cap, kDefaultMemoryCap);
}

TEST(MemoryVerdict, OneThreadIsNeverTheCap) { EXPECT_EQ(judge(speed_of(24, 1, 3))->cap, 2U); }

TEST(MemoryVerdict, RunsWithDifferentKneesAreNotSure) {
  // In the second run something else uses the memory from four threads on.
  const auto verdict =
      judge(speed_of(24, 16, 3, [](std::size_t run, unsigned n) { return run == 1 && n > 4 ? 4.0 / n : 1.0; }));
  EXPECT_FALSE(verdict->sure);
  EXPECT_EQ(verdict->cap, kDefaultMemoryCap);
  EXPECT_NE(verdict->reason.find("not reliable"), std::string::npos);
}

TEST(MemoryVerdict, RunsThatDifferAllOverAreNotSure) {
  const auto verdict = judge(speed_of(24, 6, 3, [](std::size_t run, unsigned) { return run == 0 ? 0.7 : 1.0; }));
  EXPECT_FALSE(verdict->sure);
  EXPECT_NEAR(verdict->spread, 0.3, 1e-9);
  EXPECT_EQ(verdict->cap, kDefaultMemoryCap);
}

TEST(MemoryVerdict, OneRunIsNotSure) { EXPECT_FALSE(judge(speed_of(24, 6, 1))->sure); }

TEST(MemoryVerdict, NothingWithoutAWholeRun) {
  EXPECT_FALSE(judge({}));
  MemorySpeed speed = speed_of(4, 2, 1);
  speed.copy.pop_back();
  EXPECT_FALSE(judge(speed));
  speed = speed_of(4, 2, 1);
  speed.set.back().runs.clear();
  EXPECT_FALSE(judge(speed));
}

TEST(ThreadLadder, IsCompleteForFewThreadsAndShortForMany) {
  EXPECT_EQ(thread_ladder(1, Effort::Balanced), (std::vector<unsigned>{1}));
  EXPECT_EQ(thread_ladder(4, Effort::Balanced), (std::vector<unsigned>{1, 2, 3, 4}));
  EXPECT_EQ(thread_ladder(8, Effort::Quick), (std::vector<unsigned>{1, 2, 4, 8}));
  for (const unsigned most : {2U, 12U, 33U, 256U}) {
    for (const Effort effort : {Effort::Quick, Effort::Balanced}) {
      const auto ladder = thread_ladder(most, effort);
      EXPECT_EQ(ladder.front(), 1U);
      EXPECT_EQ(ladder.back(), most);
      EXPECT_TRUE(std::ranges::is_sorted(ladder, std::ranges::less_equal{}));
      EXPECT_LE(ladder.size(), 25U);
    }
  }
}

TEST(MeasureMemory, FillsEveryPointAndEndsWhenAskedTo) {
  MemorySpeed speed;
  const MemoryEffort effort{.threads = {1, 2}, .runs = 2, .seconds_per_run = 0.0001};
  ASSERT_TRUE(measure_memory(effort, std::size_t{8} << 20U, {}, [](std::string_view) {}, speed));
  for (const auto* points : {&speed.set, &speed.copy, &speed.hash}) {
    ASSERT_EQ(points->size(), 2U);
    for (const MemoryPoint& point : *points) {
      ASSERT_EQ(point.runs.size(), 2U);
      for (const double rate : point.runs) EXPECT_GT(rate, 0);
    }
  }
  int left = 4;
  const Status status =
      measure_memory(effort, std::size_t{8} << 20U, [&left] { return left-- == 0; }, [](std::string_view) {}, speed);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code(), Code::Interrupted);
  EXPECT_EQ(speed.set.size() + speed.copy.size() + speed.hash.size(), 4U);
  EXPECT_FALSE(judge(speed));  // no whole run
}

}  // namespace
}  // namespace cairn::measure
