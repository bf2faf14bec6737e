// The reference: one byte after the other.
#include "chunk/kernels/gear_scan.h"

namespace cairn::chunk::kernels {

std::size_t gear_find_scalar(const GearTable& table, const std::byte* data, std::size_t size, std::uint64_t limit,
                             std::uint64_t* state) {
  std::uint64_t hash = *state;
  std::size_t i = 0;
  const auto hit = [&](std::size_t at) {
    hash = (hash << 1U) + table.words[static_cast<std::uint8_t>(data[at])];
    return hash < limit;
  };
  const auto end_at = [&](std::size_t at) {
    *state = hash;
    return at;
  };
  for (; i + 4 <= size; i += 4) {
    if (hit(i)) return end_at(i);
    if (hit(i + 1)) return end_at(i + 1);
    if (hit(i + 2)) return end_at(i + 2);
    if (hit(i + 3)) return end_at(i + 3);
  }
  for (; i < size; ++i) {
    if (hit(i)) return end_at(i);
  }
  return end_at(size);
}

}  // namespace cairn::chunk::kernels
