// Digests in general registers, encrypted eight at a time with the AES instructions of arm64. Those add the round key
// before they substitute, x86's after: round keys 0 to 8 go with the substitutions, and round 9's is added by hand.
#include <arm_neon.h>

#include "chunk/kernels/aes_filter.h"
#include "chunk/kernels/aes_scan_groups.h"

namespace cairn::chunk::kernels {
namespace {

class Cipher {
 public:
  static constexpr std::size_t kGroup = 16;

  Cipher(const std::uint8_t (&round_keys)[11][16], std::uint64_t mask)
      : wanted_(vdupq_n_u64(filter_bytes(mask))), first_(vld1q_u8(kMergeFirst)) {
    for (int i = 0; i < 11; ++i) keys_[i] = vld1q_u8(round_keys[i]);
    std::uint8_t key[16];
    for (int i = 0; i < kFilterRounds; ++i) {
      turn_key(round_keys[i], key);
      turned_[i] = vld1q_u8(key);
    }
    merge_key(round_keys, key);
    merged_ = vld1q_u8(key);
  }

  // The first half of the ciphertext.
  std::uint64_t encrypt(std::uint64_t digest) const {
    uint8x16_t block = vreinterpretq_u8_u64(vcombine_u64(vcreate_u64(digest), vcreate_u64(0)));
    for (int i = 0; i < 9; ++i) block = vaesmcq_u8(vaeseq_u8(block, keys_[i]));
    block = veorq_u8(vaeseq_u8(block, keys_[9]), keys_[10]);
    return vgetq_lane_u64(vreinterpretq_u64_u8(block), 0);
  }

  // A bit for each digest that passes the filter.
  std::uint64_t candidates(const std::uint64_t (&group)[kGroup]) const {
    return half(group) | (half(group + kHalf) << kHalf);
  }

 private:
  static constexpr std::size_t kHalf = 8;  // blocks under way

  std::uint64_t half(const std::uint64_t* digests) const {
    uint8x16_t block[kHalf];
    const uint64x1_t zero = vcreate_u64(0);
#pragma GCC unroll 8
    for (std::size_t i = 0; i < kHalf; i += 2) {
      block[i] = vreinterpretq_u8_u64(vcombine_u64(vld1_u64(digests + i), zero));
      block[i + 1] = vreinterpretq_u8_u64(vcombine_u64(zero, vld1_u64(digests + i + 1)));
    }
#pragma GCC unroll 8
    for (int round = 0; round < kFilterRounds - 1; ++round) {
#pragma GCC unroll 8
      for (std::size_t i = 0; i < kHalf; i += 2) {
        block[i] = vaesmcq_u8(vaeseq_u8(block[i], keys_[round]));
        block[i + 1] = vaesmcq_u8(vaeseq_u8(block[i + 1], turned_[round]));
      }
    }
    uint64x2_t hits[kHalf / 2];
    uint64x2_t any = vdupq_n_u64(0);
    const uint8x16_t key = vbslq_u8(first_, keys_[8], turned_[8]);
#pragma GCC unroll 8
    for (std::size_t i = 0; i < kHalf / 2; ++i) {
      const uint8x16_t merged = vbslq_u8(first_, block[2 * i], block[2 * i + 1]);
      const uint8x16_t state = veorq_u8(vaesmcq_u8(vaeseq_u8(merged, key)), merged_);
      hits[i] = vceqzq_u64(vandq_u64(vreinterpretq_u64_u8(state), wanted_));
      any = vorrq_u64(any, hits[i]);
    }
    if (vmaxvq_u32(vreinterpretq_u32_u64(any)) == 0) return 0;
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < kHalf / 2; ++i) {
      bits |= ((vgetq_lane_u64(hits[i], 0) & 1U) | (vgetq_lane_u64(hits[i], 1) & 2U)) << (2 * i);
    }
    return bits;
  }

  uint8x16_t keys_[11];
  uint8x16_t turned_[kFilterRounds];
  uint8x16_t merged_;
  uint64x2_t wanted_;
  uint8x16_t first_;
};

}  // namespace

template <class Digest>
std::size_t aes_find_arm64(const AesSecret<Digest>& secret, const std::byte* data, std::size_t size,
                           std::uint64_t mask) {
  return find_in_groups<Digest, Cipher>(secret, data, size, mask);
}

template std::size_t aes_find_arm64(const AesSecret<ToeplitzDigest>&, const std::byte*, std::size_t, std::uint64_t);
template std::size_t aes_find_arm64(const AesSecret<RabinDigest>&, const std::byte*, std::size_t, std::uint64_t);
template std::size_t aes_find_arm64(const AesSecret<GoldilocksDigest>&, const std::byte*, std::size_t, std::uint64_t);

}  // namespace cairn::chunk::kernels
