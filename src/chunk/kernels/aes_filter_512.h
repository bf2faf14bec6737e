// The filter of aes_filter.h over 512 bits, for files that are built with VAES and AVX-512.
#pragma once

// GCC 12 takes the intrinsics' own undefined operands for a mistake of ours (GCC bug 105593).
#pragma GCC diagnostic ignored "-Wuninitialized"
#include <immintrin.h>

#include "chunk/kernels/aes_filter.h"

namespace cairn::chunk::kernels {
namespace {

// Has what lies there loaded where it is needed: kept in registers, constants would drive out what changes.
template <class T>
[[gnu::always_inline]] inline const T* in_memory(const T* constants) {
  __asm__ volatile("" : "+r"(constants));
  return constants;
}

class Filter512 {
 public:
  Filter512(const std::uint8_t (&round_keys)[11][16], std::uint64_t mask)
      : wanted_(_mm512_set1_epi64(static_cast<long long>(filter_bytes(mask)))) {
    std::uint8_t key[16];
    for (int i = 0; i < kFilterRounds; ++i) {
      keys_[i] = all_blocks(round_keys[i]);
      turn_key(round_keys[i], key);
      turned_[i] = all_blocks(key);
    }
    merge_key(round_keys, key);
    merged_ = all_blocks(key);
    for (int i = 0; i < 11; ++i) round_keys_[i] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(round_keys[i]));
  }

  // The first half of the ciphertext.
  std::uint64_t encrypt(std::uint64_t digest) const {
    __m128i block = _mm_xor_si128(_mm_cvtsi64_si128(static_cast<long long>(digest)), round_keys_[0]);
    for (int i = 1; i < 10; ++i) block = _mm_aesenc_si128(block, round_keys_[i]);
    return static_cast<std::uint64_t>(_mm_cvtsi128_si64(_mm_aesenclast_si128(block, round_keys_[10])));
  }

  // A bit for each of kVectors * 8 digests that passes. `between(k)` is called for k = 0 to 7, between the rounds: the
  // place for other work that would have to wait for itself.
  template <std::size_t kVectors, class Between>
  [[gnu::always_inline]] std::uint64_t candidates(const __m512i (&digests)[kVectors], Between between) const {
    // Of ternary functions, operands a, b, c:
    constexpr int and_xor = 0x78;     // a ^ (b & c)
    constexpr int andnot_xor = 0xb4;  // a ^ (b & ~c)
    constexpr int select = 0xca;      // a ? b : c
    const __m512i even = _mm512_set_epi64(0, -1, 0, -1, 0, -1, 0, -1);
    const Filter512* const here = in_memory(this);
    __m512i block[2 * kVectors];
#pragma GCC unroll 8
    for (std::size_t i = 0; i < kVectors; ++i) {
      block[2 * i] = _mm512_ternarylogic_epi64(here->keys_[0], digests[i], even, and_xor);
      block[2 * i + 1] = _mm512_ternarylogic_epi64(here->turned_[0], digests[i], even, andnot_xor);
    }
#pragma GCC unroll 8
    for (int round = 1; round < kFilterRounds; ++round) {
      const __m512i key = here->keys_[round];
      const __m512i turned = here->turned_[round];
#pragma GCC unroll 8
      for (std::size_t i = 0; i < 2 * kVectors; i += 2) {
        block[i] = _mm512_aesenc_epi128(block[i], key);
        block[i + 1] = _mm512_aesenc_epi128(block[i + 1], turned);
      }
      between(round - 1);
    }
    std::uint64_t bits = 0;
    const __m512i first = all_blocks(kMergeFirst);
#pragma GCC unroll 8
    for (std::size_t i = 0; i < kVectors; ++i) {
      const __m512i merged = _mm512_ternarylogic_epi64(first, block[2 * i], block[2 * i + 1], select);
      const __mmask8 hits = _mm512_testn_epi64_mask(_mm512_aesenc_epi128(merged, here->merged_), here->wanted_);
      bits |= static_cast<std::uint64_t>(hits) << (8 * i);
    }
    return bits;
  }

 private:
  static __m512i all_blocks(const std::uint8_t (&bytes)[16]) {
    return _mm512_broadcast_i32x4(_mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes)));
  }

  __m512i keys_[kFilterRounds];
  __m512i turned_[kFilterRounds];
  __m512i merged_, wanted_;
  __m128i round_keys_[11];
};

}  // namespace
}  // namespace cairn::chunk::kernels
