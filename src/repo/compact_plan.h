// What compaction does with each pack: a pure decision from a few numbers.
//
// Units     bytes. Threads: pure.
// Source    docs/format (repository, section 12, steps 5 and 6).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.h"

namespace cairn::repo {

struct PackUsage {
  PackId id{};
  std::uint64_t total = 0;       // size of the pack
  std::uint64_t indexed = 0;     // of the objects that the index places here
  std::uint64_t used = 0;        // of those that an archive needs
  std::uint64_t superseded = 0;  // of genuine objects outside the index whose id is indexed elsewhere
  bool recorded_corrupt = false;
  bool inconsistent = false;  // index entries overlap or reach beyond the end
  std::uint64_t reclaimable() const { return indexed - used + superseded; }
};

enum class Fate { Keep, Drop, Rewrite, Merge, Inconsistent };

struct CompactPlan {
  std::vector<Fate> fates;  // one per pack
  std::uint64_t freed = 0;
  std::size_t dropped = 0, rewritten = 0, merged = 0;
  bool nothing_to_do() const { return dropped + rewritten + merged == 0; }
};

// `threshold` is a percentage: packs with at least this share of reclaimable bytes are rewritten, and only if all that
// would be freed is at least a fifth of it of all bytes. Tiny packs are merged once they fill a pack.
CompactPlan plan_compaction(std::span<const PackUsage> packs, std::uint64_t threshold, std::uint64_t pack_max_size);

// Packs below this size are tiny.
std::uint64_t tiny_limit(std::uint64_t pack_max_size);

}  // namespace cairn::repo
