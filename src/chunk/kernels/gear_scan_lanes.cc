// Four places of the block at once, in general registers: the plain loop waits for its own last sum most of the time,
// four independent ones fill that gap. Each lane but the first warms up over the 64 bytes before it, which is exact.
#include "chunk/kernels/gear_scan.h"

namespace cairn::chunk::kernels {
namespace {

constexpr std::size_t kLanes = 4;
constexpr std::size_t kWarm = 64;

// Scans 4 * Length bytes.
template <std::size_t Length>
std::size_t find_in_lanes(const GearTable& table, const std::byte* data, std::uint64_t limit, std::uint64_t* state) {
  std::uint64_t a = *state;
  std::uint64_t b = 0;
  std::uint64_t c = 0;
  std::uint64_t d = 0;
  const auto step = [&table](std::uint64_t hash, std::byte byte) {
    return (hash << 1U) + table.words[static_cast<std::uint8_t>(byte)];
  };
  const std::byte* at = data - kWarm;
  for (std::size_t i = 0; i < kWarm; ++i, ++at) {
    b = step(b, at[Length]);
    c = step(c, at[2 * Length]);
    d = step(d, at[3 * Length]);
  }
  std::size_t lane = kLanes;
  const std::byte* const end = data + Length;
  for (at = data; at != end; ++at) {
    a = step(a, at[0]);
    b = step(b, at[Length]);
    c = step(c, at[2 * Length]);
    d = step(d, at[3 * Length]);
    if (a < limit) {
      *state = a;
      return static_cast<std::size_t>(at - data);
    }
    if (b < limit) {
      lane = 1;
      break;
    }
    if (c < limit) {
      lane = 2;
      break;
    }
    if (d < limit) {
      lane = 3;
      break;
    }
  }
  if (lane == kLanes) {
    *state = d;
    return kLanes * Length;
  }
  // A hit, but what lies before it in the file comes first: the rest of the lanes to its left.
  std::uint64_t hashes[kLanes] = {a, b, c, d};
  const auto offset = static_cast<std::size_t>(at - data);
  for (std::size_t k = 0; k < lane; ++k) {
    const std::size_t from = k * Length + offset + 1;
    const std::size_t left = Length - offset - 1;
    const std::size_t hit = gear_find_scalar(table, data + from, left, limit, &hashes[k]);
    if (hit < left) {
      *state = hashes[k];
      return from + hit;
    }
  }
  *state = hashes[lane];
  return lane * Length + offset;
}

}  // namespace

std::size_t gear_find_lanes(const GearTable& table, const std::byte* data, std::size_t size, std::uint64_t limit,
                            std::uint64_t* state) {
  // Work behind a hit is lost, so lanes are short where hits are frequent: below 1/16 of the distance to be expected.
  constexpr std::uint64_t long_lanes = std::uint64_t{1} << (64U - 17U);
  constexpr std::uint64_t middle_lanes = std::uint64_t{1} << (64U - 15U);
  constexpr std::uint64_t short_lanes = std::uint64_t{1} << (64U - 13U);
  std::size_t i = 0;
  const auto scan = [&](auto find, std::size_t count) {
    while (size - i >= count) {
      const std::size_t hit = find(table, data + i, limit, state);
      i += hit;
      if (hit < count) return true;
    }
    return false;
  };
  if (limit <= long_lanes && scan(find_in_lanes<8192>, kLanes * 8192)) return i;
  if (limit <= middle_lanes && scan(find_in_lanes<2048>, kLanes * 2048)) return i;
  if (limit <= short_lanes && scan(find_in_lanes<512>, kLanes * 512)) return i;
  return i + gear_find_scalar(table, data + i, size - i, limit, state);
}

}  // namespace cairn::chunk::kernels
