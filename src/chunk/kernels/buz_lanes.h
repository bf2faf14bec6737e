// The cyclic polynomial hashes at several places of the block at once, one per lane, written once for all instruction
// sets. Each lane but the first hashes one whole window before it starts, so lanes must be longer than the window.
//
// A set offers, in its file's unnamed namespace so that nothing here is shared between files:
//   kLanes   at most 16
//   kRow     bytes of each lane that a row takes
//   Set(mask)
//   take_row(in, data, stride, hashes)               what comes in, lane k at data + k * stride, for a start
//   scan_row(tables, data, window, stride, hashes)   tests the windows of every lane, each before it moves on, and
//                                                    returns a bit for each lane in which one passed
#pragma once

#include "chunk/kernels/buz_scan.h"

namespace cairn::chunk::kernels {
namespace {

// Tests `length` windows, a multiple of the row, in each lane.
template <class Set, class Word>
std::size_t buz_find_in_lanes(const BuzTables<Word>& tables, const std::byte* data, std::size_t window,
                              std::size_t length, Word mask, Word* state) {
  constexpr unsigned word_bits = sizeof(Word) * 8;
  const Set set(mask);
  alignas(64) Word hashes[Set::kLanes] = {};
  std::size_t taken = 0;
  for (; taken < window % Set::kRow; ++taken) {
    for (std::size_t k = 0; k < Set::kLanes; ++k) {
      const Word turned = static_cast<Word>((hashes[k] << 1U) | (hashes[k] >> (word_bits - 1)));
      hashes[k] = turned ^ tables.in.words[static_cast<std::uint8_t>(data[k * length + taken])];
    }
  }
  for (; taken < window; taken += Set::kRow) set.take_row(tables.in, data + taken, length, hashes);
  hashes[0] = *state;

  std::size_t lanes = Set::kLanes;  // those that can still have the first hit
  std::size_t found = Set::kLanes * length;
  Word found_state = 0;
  for (std::size_t offset = 0; offset < length; offset += Set::kRow) {
    alignas(64) Word before[Set::kLanes];
    __builtin_memcpy(before, hashes, sizeof before);
    const unsigned hits = set.scan_row(tables, data + offset, window, length, hashes) & ((1U << lanes) - 1);
    if (hits == 0) continue;
    lanes = static_cast<std::size_t>(__builtin_ctz(hits));
    found_state = before[lanes];
    const std::size_t from = lanes * length + offset;
    found = from + buz_find_scalar(tables, data + from, window, Set::kRow, mask, &found_state);
    if (lanes == 0) break;
  }
  *state = found < Set::kLanes * length ? found_state : hashes[Set::kLanes - 1];
  return found;
}

template <class Set, class Word>
std::size_t buz_find_with(const BuzTables<Word>& tables, const std::byte* data, std::size_t window, std::size_t count,
                          Word mask, Word* state) {
  // Work behind a hit is lost, so lanes are short where hits are frequent; too short for the window they do not pay
  // off.
  const std::size_t useful = (static_cast<std::size_t>(mask) + 1) / 4 / Set::kLanes;
  const std::size_t longest = useful < 32768 ? useful : 32768;
  const std::size_t shortest = 2 * window > 512 ? 2 * window : 512;
  std::size_t i = 0;
  while (true) {
    std::size_t length = (count - i) / Set::kLanes;
    if (length > longest) length = longest;
    length -= length % Set::kRow;
    if (length < shortest) break;
    const std::size_t hit = buz_find_in_lanes<Set>(tables, data + i, window, length, mask, state);
    i += hit;
    if (hit < Set::kLanes * length) return i;
  }
  return i + buz_find_lanes(tables, data + i, window, count - i, mask, state);
}

}  // namespace
}  // namespace cairn::chunk::kernels
