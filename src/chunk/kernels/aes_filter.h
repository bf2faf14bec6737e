// How to tell by less than a whole encryption that a position is no hit.
//
// Two digests are encrypted for little more than one and a half. A digest fills the lower half of its block and zeros
// the upper; the second one goes into the upper half of its block instead, with round keys whose halves are exchanged:
// AES treats all columns alike, so everything comes out with halves exchanged too. The first two bytes of a ciphertext
// depend on eight bytes of the state after round 8, and those of the two blocks lie in different places: merged into
// one state, the two share round 9. After it, byte 0 of a ciphertext is zero if byte 0 of the state is what the
// substitution turns into the last round key's byte 0, and byte 1 likewise for byte 5; these two are added to the key
// of round 9, so that zeros are looked for. What passes, 1 position in 65536, is encrypted as a whole.
// Source: FIPS 197, sections 5.1 and 5.3; docs/format (chunkers, section 13.7).
#pragma once

#include "chunk/kernels/aes_sbox.h"

namespace cairn::chunk::kernels {
namespace {

constexpr int kFilterRounds = 9;  // of ten

// The bytes of a merged state that come from the first digest's block.
constexpr std::uint8_t kMergeFirst[16] = {0xff, 0, 0, 0xff, 0xff, 0xff, 0, 0, 0, 0xff, 0xff, 0, 0, 0, 0xff, 0xff};

// The bytes of each half of a merged state that must be zero.
constexpr std::uint64_t filter_bytes(std::uint64_t mask) { return mask >= 0xffff ? 0x0000ff00000000ffU : 0xffU; }

// Halves are exchanged.
inline void turn_key(const std::uint8_t (&key)[16], std::uint8_t (&turned)[16]) {
  for (int i = 0; i < 16; ++i) turned[i] = key[i ^ 8];
}

// The key of round 9 for a merged state.
inline void merge_key(const std::uint8_t (&round_keys)[11][16], std::uint8_t (&merged)[16]) {
  for (int i = 0; i < 16; ++i) merged[i] = round_keys[9][i & 7];
  for (int half = 0; half < 16; half += 8) {
    merged[half] ^= kSbox.inverse[round_keys[10][0]];
    merged[half + 5] ^= kSbox.inverse[round_keys[10][1]];
  }
}

}  // namespace
}  // namespace cairn::chunk::kernels
