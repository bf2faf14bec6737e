// Eight positions at a time in general registers: turned to the last of them, the eight hashes share one base and
// differ by a running XOR, so the serial chain is one rotation and one XOR per eight bytes (docs/format, chunkers,
// section 10.2).
#include "chunk/kernels/buz_scan.h"

namespace cairn::chunk::kernels {
namespace {

std::uint64_t rotate(std::uint64_t value, unsigned by) { return (value << (by & 63U)) | (value >> ((64U - by) & 63U)); }

}  // namespace

std::size_t buz_find_blockwise(const BuzTables<std::uint64_t>& tables, const std::byte* data, std::size_t window,
                               std::size_t count, std::uint64_t mask, std::uint64_t* state) {
  std::uint64_t masks[8];
  for (unsigned j = 0; j < 8; ++j) masks[j] = rotate(mask, 7 - j);
  const std::byte* const ahead = data + window;
  std::uint64_t hash = *state;
  std::size_t i = 0;
  if (count > 0 && (hash & mask) == 0) return 0;
  // Position i is tested already; a block tests i + 1 to i + 8.
  for (; i + 8 < count; i += 8) {
    std::uint64_t term[8];
    for (unsigned j = 0; j < 8; ++j) {
      term[j] = rotate(tables.out.words[static_cast<std::uint8_t>(data[i + j])] ^
                           tables.in.words[static_cast<std::uint8_t>(ahead[i + j])],
                       7 - j);
    }
    for (unsigned step = 1; step < 8; step *= 2) {
      for (unsigned j = 7; j >= step; --j) term[j] ^= term[j - step];
    }
    const std::uint64_t base = rotate(hash, 8);
    bool hit = false;
    for (unsigned j = 0; j < 8; ++j) hit |= ((base ^ term[j]) & masks[j]) == 0;
    if (hit) break;
    hash = base ^ term[7];
  }
  *state = hash;
  return i + buz_find_scalar(tables, data + i, window, count - i, mask, state);
}

}  // namespace cairn::chunk::kernels
