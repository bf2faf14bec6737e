// goldilocks-aes: eight digests in a vector, multiplied by 52 bits with AVX-512 IFMA.
//
// With p = 2^64 - 2^32 + 1, so 2^64 = 2^32 - 1 (mod p), and everything in words of 64 bits:
//
//   digest = low + 2^52 high           low below 2^52
//   factor = f0 + 2^32 f1              halves below 2^32, and so are those of
//   2^52 factor = g0 + 2^32 g1,        -factor^64 = h0 + 2^32 h1 (both mod p)
//   low * f0 = a + 2^52 a'             low * f1 = b + 2^52 b'       a, b below 2^52; a', b' below 2^32
//
//   factor * digest - factor^64 * out + in
//     = (a + g0 high + h0 out + in) + 2^32 (b + g1 high + h1 out) + 2^52 a' + 2^84 b'
//
// 2^52 a' goes to the second sum as 2^20 a', and 2^84 b' = 2^52 b' - 2^20 b', so with the sums A and B:
//
//   digest' = (A - 2^20 b') + 2^32 B,   B = 2^32 t + u   =>   2^32 B = 2^32 u + (2^32 - 1) t
//
// which is S + W with S = 2^32 u and W = A - 2^20 b' + (2^32 - 1) t. A and B begin with numbers that together make
// 2^64: that keeps W above zero, and adds 2^32 - 1 (mod p). So S + W has a carry if and only if the sum without that
// addition is p or more; then what is left is the digest, else 2^32 - 1 has to go. B is below 2^54, t below 2^22, and W
// between 2^52 and 2^56, so one subtraction is enough.
#include "chunk/kernels/aes_lanes.h"

namespace cairn::chunk::kernels {
namespace {

__m512i all_lanes(std::uint64_t value) { return _mm512_set1_epi64(static_cast<long long>(value)); }

struct Constants {
  explicit Constants(const GoldilocksDigest& digest)
      : begin_a(all_lanes(std::uint64_t{1} << 53U)),  // its lowest byte is free for `in`
        begin_b(all_lanes((std::uint64_t{1} << 32U) - (std::uint64_t{1} << 21U))),
        shift_20(all_lanes(std::uint64_t{1} << 20U)),
        fold(all_lanes(0xffffffffU)) {
    split(digest.factor, factor);
    split(reduce_mod(multiply_mod(digest.factor, std::uint64_t{1} << 52U)), high_factor);
    split(digest.out[1], out_factor);
  }

  static void split(std::uint64_t number, __m512i (&halves)[2]) {
    halves[0] = all_lanes(number & 0xffffffffU);
    halves[1] = all_lanes(number >> 32U);
  }

  __m512i factor[2];
  __m512i high_factor[2];
  __m512i out_factor[2];
  __m512i begin_a, begin_b;
  __m512i shift_20;
  __m512i fold;
};

class Rolling {
 public:
  static constexpr bool kManyRegisters = false;
  using Constants = kernels::Constants;

  CAIRN_INLINE explicit Rolling(const Constants& constants) : constants_(&constants) {
    for (__m512i& digests : digests_) digests = _mm512_setzero_si512();
  }

  CAIRN_INLINE void begin(__m512i in) { begin(_mm512_setzero_si512(), in); }

  CAIRN_INLINE void begin(__m512i out, __m512i in) {
    constants_ = in_memory(constants_);
    leaving_ = out;
    entering_ = in;
  }

  CAIRN_INLINE void part(int k) {
    const __m512i zero = _mm512_setzero_si512();
    const Constants& c = *constants_;
    // Byte k of a row belongs to word k / 8 of vector k % 8: that takes one permutation.
    const __m512i places =
        _mm512_add_epi8(_mm512_set_epi64(0x38, 0x30, 0x28, 0x20, 0x18, 0x10, 0x08, 0x00), _mm512_set1_epi64(k));
    constexpr __mmask64 lowest = 0x0101010101010101;
    const __m512i leaving = _mm512_maskz_permutexvar_epi8(lowest, places, leaving_);
    __m512i a = _mm512_mask_permutexvar_epi8(c.begin_a, lowest, places, entering_);
    const __m512i low = digests_[k];  // multiplications take 52 bits of it
    const __m512i high = _mm512_srli_epi64(low, 52);
    const __m512i carry_a = _mm512_madd52hi_epu64(zero, low, c.factor[0]);
    const __m512i carry_b = _mm512_madd52hi_epu64(zero, low, c.factor[1]);
    a = _mm512_madd52lo_epu64(a, leaving, c.out_factor[0]);
    __m512i b = _mm512_madd52lo_epu64(c.begin_b, leaving, c.out_factor[1]);
    a = _mm512_madd52lo_epu64(a, low, c.factor[0]);
    b = _mm512_madd52lo_epu64(b, low, c.factor[1]);
    a = _mm512_madd52lo_epu64(a, high, c.high_factor[0]);
    b = _mm512_madd52lo_epu64(b, high, c.high_factor[1]);
    b = _mm512_madd52lo_epu64(b, carry_a, c.shift_20);
    b = _mm512_madd52lo_epu64(b, carry_b, c.shift_20);
    const __m512i s = _mm512_slli_epi64(b, 32);
    const __m512i t = _mm512_mul_epu32(_mm512_srli_epi64(b, 32), c.fold);
    const __m512i w = _mm512_add_epi64(_mm512_sub_epi64(a, _mm512_slli_epi64(carry_b, 20)), t);
    const __m512i sum = _mm512_add_epi64(s, w);
    const __mmask8 no_carry = _mm512_cmpge_epu64_mask(sum, s);
    digests_[k] = _mm512_mask_sub_epi64(sum, no_carry, sum, c.fold);
  }

  CAIRN_INLINE void digests(__m512i (&v)[8]) const {
    for (int i = 0; i < 8; ++i) v[i] = digests_[i];
  }

  static std::size_t lane(std::size_t place) { return place % 8 * 8 + place / 8; }

 private:
  const Constants* constants_;
  __m512i digests_[8];
  __m512i leaving_ = _mm512_setzero_si512();
  __m512i entering_ = _mm512_setzero_si512();
};

}  // namespace

template <>
std::size_t aes_find_lanes(const AesSecret<GoldilocksDigest>& secret, const std::byte* data, std::size_t size,
                           std::uint64_t mask) {
  return find_in_many_lanes<Rolling>(secret, data, size, mask);
}

}  // namespace cairn::chunk::kernels
