// The gear hash at several places of the block at once, one per lane, written once for all instruction sets. Each lane
// but the first warms up over the 64 bytes before it, which is exact.
//
// A set offers, in its file's unnamed namespace so that nothing here is shared between files:
//   kLanes   at most 16
//   kRow     bytes of each lane that scan_row() takes: a divisor of 64
//   scan_row(table, data, stride, limit, hashes)   advances the hash of every lane, lane k at data + k * stride, and
//                                                  returns a bit for each lane that came below the limit
#pragma once

#include "chunk/kernels/gear_scan.h"

namespace cairn::chunk::kernels {
namespace {

// Scans lanes of `length` bytes, a multiple of 64.
template <class Set>
std::size_t gear_find_in_lanes(const GearTable& table, const std::byte* data, std::size_t length, std::uint64_t limit,
                               std::uint64_t* state) {
  constexpr std::size_t warm = 64;
  alignas(64) std::uint64_t ends[Set::kLanes] = {};
  for (std::size_t offset = length - warm; offset < length; offset += Set::kRow) {
    Set::scan_row(table, data + offset, length, limit, ends);
  }
  alignas(64) std::uint64_t hashes[Set::kLanes];
  hashes[0] = *state;  // and perhaps nothing before it
  for (std::size_t k = 1; k < Set::kLanes; ++k) hashes[k] = ends[k - 1];

  std::size_t lanes = Set::kLanes;  // those that can still have the first hit
  std::size_t found = Set::kLanes * length;
  std::uint64_t found_state = 0;
  for (std::size_t offset = 0; offset < length; offset += Set::kRow) {
    alignas(64) std::uint64_t before[Set::kLanes];
    __builtin_memcpy(before, hashes, sizeof before);
    const unsigned hits = Set::scan_row(table, data + offset, length, limit, hashes) & ((1U << lanes) - 1);
    if (hits == 0) continue;
    lanes = static_cast<std::size_t>(__builtin_ctz(hits));
    found_state = before[lanes];
    const std::size_t from = lanes * length + offset;
    found = from + gear_find_scalar(table, data + from, Set::kRow, limit, &found_state);
    if (lanes == 0) break;
  }
  *state = found < Set::kLanes * length ? found_state : hashes[Set::kLanes - 1];
  return found;
}

template <class Set>
std::size_t gear_find_with(const GearTable& table, const std::byte* data, std::size_t size, std::uint64_t limit,
                           std::uint64_t* state) {
  // Work behind a hit is lost, so lanes are short where hits are frequent.
  constexpr std::size_t longest = 8192;
  constexpr std::size_t shortest = 256;
  const std::size_t expected = std::size_t{2} << static_cast<unsigned>(__builtin_clzll(limit));
  std::size_t length = expected / 64 < longest ? expected / 64 : longest;
  std::size_t i = 0;
  while (length >= shortest) {
    const std::size_t step = Set::kLanes * length;
    if (size - i < step) {
      length /= 2;
      continue;
    }
    const std::size_t hit = gear_find_in_lanes<Set>(table, data + i, length, limit, state);
    i += hit;
    if (hit < step) return i;
  }
  return i + gear_find_scalar(table, data + i, size - i, limit, state);
}

}  // namespace
}  // namespace cairn::chunk::kernels
