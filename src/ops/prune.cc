#include "ops/prune.h"

#include <algorithm>

namespace cairn::ops {

std::size_t PrunePlan::pruned() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(entries, [](const Entry& entry) { return !entry.decision.kept; }));
}

std::size_t PrunePlan::pruned(const archive::ArchiveGroup& group) const {
  return static_cast<std::size_t>(
      std::ranges::count_if(group.members, [&](std::size_t member) { return !entries[member].decision.kept; }));
}

PrunePlan plan_prune(std::vector<archive::ArchiveSummary> archives, const PruneRequest& request) {
  std::erase_if(archives, [](const archive::ArchiveSummary& archive) {
    return archive.is_protected() || archive.problem != archive::ArchiveSummary::Problem::None;
  });
  std::ranges::reverse(archives);
  PrunePlan plan;
  plan.groups = archive::group_archives(archives, request.group_by);
  for (archive::ArchiveSummary& archive : archives) {
    plan.entries.push_back({.archive = std::move(archive), .decision = {}, .group = 0});
  }
  for (std::size_t g = 0; g < plan.groups.size(); ++g) {
    const auto& members = plan.groups[g].members;
    std::vector<Nanoseconds> times;
    for (const std::size_t member : members) times.push_back(plan.entries[member].archive.time);
    const auto decisions =
        archive::prune(times, request.rules, request.from.value_or(request.now), request.from.has_value());
    for (std::size_t i = 0; i < members.size(); ++i) {
      plan.entries[members[i]].decision = decisions[i];
      plan.entries[members[i]].group = g;
    }
  }
  return plan;
}

}  // namespace cairn::ops
