#include "repo/compact_plan.h"

#include <gtest/gtest.h>

namespace cairn::repo {
namespace {

constexpr std::uint64_t kPackMax = 50'000'000;

Fate fate_of(const PackUsage& pack, std::uint64_t threshold = 10) {
  return plan_compaction(std::vector{pack}, threshold, kPackMax).fates[0];
}

TEST(CompactPlan, DecidesByIndexedUsedAndTotal) {
  struct Case {
    std::uint64_t total, indexed, used, superseded;
    bool corrupt;
    Fate fate;
  };
  const Case cases[] = {
      {2'000'000, 2'000'000, 2'000'000, 0, false, Fate::Keep},
      {2'000'000, 2'000'000, 0, 0, false, Fate::Drop},
      {2'000'000, 2'000'000, 0, 0, true, Fate::Drop},
      {2'000'000, 1'999'999, 0, 0, false, Fate::Rewrite},  // the gap may be needed
      {2'000'000, 1'999'000, 0, 1'000, false, Fate::Drop},
      {2'000'000, 0, 0, 2'000'000, false, Fate::Drop},  // wholly superseded
      {2'000'000, 0, 0, 0, false, Fate::Keep},          // nobody knows it
      {2'000'000, 1'000'000, 1'000'000, 200'000, false, Fate::Rewrite},
      {2'000'000, 2'000'000, 1'800'000, 0, false, Fate::Rewrite},  // exactly 10 %
      {2'000'000, 2'000'000, 1'800'001, 0, false, Fate::Keep},
      {2'000'000, 2'000'000, 1'000'000, 0, true, Fate::Keep},
      {2'000'000, 2'000'001, 0, 0, false, Fate::Inconsistent},
      {2'000'000, 1'500'000, 0, 500'001, false, Fate::Inconsistent},
      {100, 100, 100, 0, false, Fate::Keep},  // tiny, but too few of them
  };
  for (const Case& c : cases) {
    EXPECT_EQ(fate_of({.total = c.total,
                       .indexed = c.indexed,
                       .used = c.used,
                       .superseded = c.superseded,
                       .recorded_corrupt = c.corrupt}),
              c.fate)
        << c.total << ' ' << c.indexed << ' ' << c.used << ' ' << c.superseded << ' ' << c.corrupt;
  }
}

TEST(CompactPlan, FreesOnlyFromAFifthOfTheThresholdOn) {
  std::vector<PackUsage> packs(2);
  packs[0] = {.total = 1'000'000, .indexed = 1'000'000, .used = 0};
  packs[1] = {.total = 49'000'000, .indexed = 49'000'000, .used = 49'000'000};
  const CompactPlan exact = plan_compaction(packs, 10, kPackMax);  // 2 % of 50 MB
  EXPECT_EQ(exact.fates[0], Fate::Drop);
  EXPECT_EQ(exact.freed, 1'000'000U);
  packs[1].total += 1;
  packs[1].indexed = packs[1].used = packs[1].total;
  const CompactPlan below = plan_compaction(packs, 10, kPackMax);
  EXPECT_EQ(below.fates[0], Fate::Keep);
  EXPECT_TRUE(below.nothing_to_do());
  EXPECT_EQ(plan_compaction(packs, 0, kPackMax).fates[0], Fate::Drop);
  EXPECT_TRUE(plan_compaction(packs, 1000, kPackMax).nothing_to_do());
}

TEST(CompactPlan, MergesTinyPacksOnceTheyFillAPack) {
  std::vector<PackUsage> packs(10, {.total = 400'000, .indexed = 400'000, .used = 400'000});
  EXPECT_EQ(plan_compaction(packs, 10, 4'000'000).merged, 10U);
  EXPECT_EQ(plan_compaction(packs, 10, 4'000'001).merged, 0U);
  packs[3].recorded_corrupt = true;
  EXPECT_EQ(plan_compaction(packs, 10, 3'600'000).fates[3], Fate::Keep);
  EXPECT_EQ(plan_compaction(packs, 10, 3'600'000).merged, 9U);
}

TEST(CompactPlan, TinyIsBelowAMegabyteAndHalfAPack) {
  EXPECT_EQ(tiny_limit(50'000'000), 1'000'000U);
  EXPECT_EQ(tiny_limit(150'000), 75'000U);
  const std::vector<PackUsage> packs(4, {.total = 75'000, .indexed = 75'000, .used = 75'000});
  EXPECT_EQ(plan_compaction(packs, 10, 150'000).merged, 0U);
  EXPECT_EQ(plan_compaction(packs, 10, 150'002).merged, 4U);
}

}  // namespace
}  // namespace cairn::repo
