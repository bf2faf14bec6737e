#include "repo/compact_plan.h"

#include <algorithm>

namespace cairn::repo {
namespace {

Fate decide(const PackUsage& pack, std::uint64_t threshold, std::uint64_t tiny) {
  if (pack.inconsistent || pack.indexed + pack.superseded > pack.total || pack.used > pack.indexed) {
    return Fate::Inconsistent;
  }
  const std::uint64_t reclaimable = pack.reclaimable();
  if (reclaimable == 0) {
    return pack.indexed > 0 && pack.total < tiny && !pack.recorded_corrupt ? Fate::Merge : Fate::Keep;
  }
  if (reclaimable == pack.total) return Fate::Drop;
  // A rewritten copy would get a valid name.
  if (pack.recorded_corrupt) return Fate::Keep;
  return reclaimable * 100 >= threshold * pack.total ? Fate::Rewrite : Fate::Keep;
}

}  // namespace

std::uint64_t tiny_limit(std::uint64_t pack_max_size) {
  constexpr std::uint64_t kLargestTiny = 1'000'000;
  return std::min(kLargestTiny, pack_max_size / 2);
}

CompactPlan plan_compaction(std::span<const PackUsage> packs, std::uint64_t threshold, std::uint64_t pack_max_size) {
  CompactPlan plan;
  plan.fates.reserve(packs.size());
  std::uint64_t all_bytes = 0;
  std::uint64_t tiny_bytes = 0;
  for (const PackUsage& pack : packs) {
    const Fate fate = decide(pack, threshold, tiny_limit(pack_max_size));
    plan.fates.push_back(fate);
    all_bytes += pack.total;
    if (fate == Fate::Drop || fate == Fate::Rewrite) plan.freed += pack.reclaimable();
    if (fate == Fate::Merge) tiny_bytes += pack.total;
  }
  const bool worth_freeing = plan.freed > 0 && plan.freed * 500 >= threshold * all_bytes;
  const bool worth_merging = tiny_bytes >= pack_max_size;
  if (!worth_freeing) plan.freed = 0;
  for (Fate& fate : plan.fates) {
    if (!worth_freeing && (fate == Fate::Drop || fate == Fate::Rewrite)) fate = Fate::Keep;
    if (!worth_merging && fate == Fate::Merge) fate = Fate::Keep;
    plan.dropped += fate == Fate::Drop ? 1 : 0;
    plan.rewritten += fate == Fate::Rewrite ? 1 : 0;
    plan.merged += fate == Fate::Merge ? 1 : 0;
  }
  return plan;
}

}  // namespace cairn::repo
