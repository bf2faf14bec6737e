#include "ops/holes.h"

#include <algorithm>

namespace cairn::ops {
namespace {
constexpr Nanoseconds kSettled = 60 * kSecond;
constexpr std::uint64_t kBlock = 512;  // what Stat::blocks counts
}  // namespace

bool asks_for_holes(const fs::Stat& stat, bool sparse, Nanoseconds now) {
  if (sparse) return true;
  return stat.blocks < stat.size / kBlock && std::max(stat.mtime, stat.ctime) < now - kSettled;
}

}  // namespace cairn::ops
