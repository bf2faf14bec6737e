// Eight positions at a time in general registers: aligned to the last of them, the eight hashes share one base and
// differ by a prefix sum, so the serial chain is one shift and one addition per eight bytes (docs/format, chunkers,
// section 10.1).
#include "chunk/kernels/gear_scan.h"

namespace cairn::chunk::kernels {

std::size_t gear_find_blockwise(const GearTable& table, const std::byte* data, std::size_t size, std::uint64_t limit,
                                std::uint64_t* state) {
  // The aligned hash has lost its top bits, so "not above" is necessary, not sufficient; a limit that is shifted out
  // becomes the largest number, which everything passes.
  std::uint64_t bound[8];
  for (unsigned j = 0; j < 8; ++j) bound[j] = (limit << (7 - j)) - 1;
  std::uint64_t hash = *state;
  std::size_t i = 0;
  for (; i + 8 <= size; i += 8) {
    std::uint64_t term[8];
    for (unsigned j = 0; j < 8; ++j) term[j] = table.words[static_cast<std::uint8_t>(data[i + j])] << (7 - j);
    for (unsigned step = 1; step < 8; step *= 2) {
      for (unsigned j = 7; j >= step; --j) term[j] += term[j - step];
    }
    const std::uint64_t base = hash << 8U;
    bool candidate = false;
    for (unsigned j = 0; j < 8; ++j) candidate |= base + term[j] <= bound[j];
    if (candidate) {
      const std::size_t hit = gear_find_scalar(table, data + i, 8, limit, &hash);
      if (hit < 8) {
        *state = hash;
        return i + hit;
      }
    } else {
      hash = base + term[7];
    }
  }
  *state = hash;
  return i + gear_find_scalar(table, data + i, size - i, limit, state);
}

}  // namespace cairn::chunk::kernels
