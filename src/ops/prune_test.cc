#include "ops/prune.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace cairn::ops {
namespace {

archive::ArchiveSummary made(const std::string& name, Nanoseconds time, std::vector<std::string> tags = {}) {
  archive::ArchiveSummary archive;
  archive.name = name;
  archive.time = time * kSecond;
  archive.tags = std::move(tags);
  return archive;
}

PruneRequest keep(std::int64_t count) {
  PruneRequest request{.now = 1000 * kSecond};
  request.rules[static_cast<std::size_t>(archive::PruneRule::Keep)] = archive::PruneLimit{.count = count};
  return request;
}

std::string shown(const PrunePlan& plan) {
  std::string text;
  for (const auto& entry : plan.entries) {
    text += (entry.decision.kept ? "+" : "-") + entry.archive.name + std::to_string(entry.archive.time / kSecond) + " ";
  }
  return text;
}

TEST(PlanPrune, GroupsAreCountedByThemselvesAndListedTogetherNewestFirst) {
  const PrunePlan plan = plan_prune({made("a", 1), made("b", 2), made("a", 3), made("b", 4), made("a", 5)}, keep(1));
  EXPECT_EQ(shown(plan), "+a5 +b4 -a3 -b2 -a1 ");
  ASSERT_EQ(plan.groups.size(), 2U);
  EXPECT_EQ(plan.groups[0].values, (std::vector<std::string>{"a", ""}));
  EXPECT_EQ(plan.pruned(plan.groups[0]), 2U);
  EXPECT_EQ(plan.pruned(plan.groups[1]), 1U);
  EXPECT_EQ(plan.pruned(), 3U);
}

TEST(PlanPrune, ProtectedAndUnreadableArchivesAreLeftAlone) {
  auto damaged = archive::damaged_archive({});
  const PrunePlan plan =
      plan_prune({damaged, archive::missing_archive({}), made("a", 1), made("a", 2, {"@PROT"}), made("a", 3)}, keep(1));
  EXPECT_EQ(shown(plan), "+a3 -a1 ");
}

TEST(PlanPrune, WhatIsNotOlderThanFromIsKept) {
  PruneRequest request = keep(1);
  request.from = 3 * kSecond;
  const PrunePlan plan = plan_prune({made("a", 1), made("a", 2), made("a", 3), made("a", 4)}, request);
  EXPECT_EQ(shown(plan), "+a4 +a3 +a2 -a1 ");
  EXPECT_EQ(plan.entries[1].decision.rule, archive::PruneRule::Skip);
  EXPECT_EQ(plan.entries[2].decision.rule, archive::PruneRule::Keep);
}

}  // namespace
}  // namespace cairn::ops
