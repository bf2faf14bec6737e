// Digests in general registers, encrypted eight at a time with AES-NI.
#include <immintrin.h>

#include "chunk/kernels/aes_filter.h"
#include "chunk/kernels/aes_scan_groups.h"

namespace cairn::chunk::kernels {
namespace {

__m128i load(const std::uint8_t (&bytes)[16]) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes)); }

class Cipher {
 public:
  static constexpr std::size_t kGroup = 16;

  Cipher(const std::uint8_t (&round_keys)[11][16], std::uint64_t mask)
      : wanted_(_mm_set1_epi64x(static_cast<long long>(filter_bytes(mask)))), first_(load(kMergeFirst)) {
    for (int i = 0; i < 11; ++i) keys_[i] = load(round_keys[i]);
    std::uint8_t key[16];
    for (int i = 0; i < kFilterRounds; ++i) {
      turn_key(round_keys[i], key);
      turned_[i] = load(key);
    }
    merge_key(round_keys, key);
    merged_ = load(key);
  }

  // The first half of the ciphertext.
  std::uint64_t encrypt(std::uint64_t digest) const {
    __m128i block = _mm_xor_si128(_mm_cvtsi64_si128(static_cast<long long>(digest)), keys_[0]);
    for (int i = 1; i < 10; ++i) block = _mm_aesenc_si128(block, keys_[i]);
    return static_cast<std::uint64_t>(_mm_cvtsi128_si64(_mm_aesenclast_si128(block, keys_[10])));
  }

  // A bit for each digest that passes the filter.
  std::uint64_t candidates(const std::uint64_t (&group)[kGroup]) const {
    return half(group) | (half(group + kHalf) << kHalf);
  }

 private:
  static constexpr std::size_t kHalf = 8;  // blocks under way, what one AES unit wants

  std::uint64_t half(const std::uint64_t* digests) const {
    __m128i block[kHalf];
#pragma GCC unroll 8
    for (std::size_t i = 0; i < kHalf; i += 2) {
      const __m128i low = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(digests + i));
      const __m128i high = _mm_slli_si128(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(digests + i + 1)), 8);
      block[i] = _mm_xor_si128(low, keys_[0]);
      block[i + 1] = _mm_xor_si128(high, turned_[0]);
    }
#pragma GCC unroll 8
    for (int round = 1; round < kFilterRounds; ++round) {
#pragma GCC unroll 8
      for (std::size_t i = 0; i < kHalf; i += 2) {
        block[i] = _mm_aesenc_si128(block[i], keys_[round]);
        block[i + 1] = _mm_aesenc_si128(block[i + 1], turned_[round]);
      }
    }
    __m128i hits[kHalf / 2];
    __m128i any = _mm_setzero_si128();
#pragma GCC unroll 8
    for (std::size_t i = 0; i < kHalf / 2; ++i) {
      const __m128i state = _mm_aesenc_si128(_mm_blendv_epi8(block[2 * i + 1], block[2 * i], first_), merged_);
      hits[i] = _mm_cmpeq_epi64(_mm_and_si128(state, wanted_), _mm_setzero_si128());
      any = _mm_or_si128(any, hits[i]);
    }
    if (_mm_testz_si128(any, any) != 0) return 0;
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < kHalf / 2; ++i) {
      bits |= static_cast<std::uint64_t>(_mm_movemask_pd(_mm_castsi128_pd(hits[i]))) << (2 * i);
    }
    return bits;
  }

  __m128i keys_[11];
  __m128i turned_[kFilterRounds];
  __m128i merged_, wanted_, first_;
};

}  // namespace

template <class Digest>
std::size_t aes_find_aesni(const AesSecret<Digest>& secret, const std::byte* data, std::size_t size,
                           std::uint64_t mask) {
  return find_in_groups<Digest, Cipher>(secret, data, size, mask);
}

template std::size_t aes_find_aesni(const AesSecret<ToeplitzDigest>&, const std::byte*, std::size_t, std::uint64_t);
template std::size_t aes_find_aesni(const AesSecret<RabinDigest>&, const std::byte*, std::size_t, std::uint64_t);
template std::size_t aes_find_aesni(const AesSecret<GoldilocksDigest>&, const std::byte*, std::size_t, std::uint64_t);

}  // namespace cairn::chunk::kernels
