// toeplitz-aes: its tables are random bytes, looked up by permutations; x times a digest is a shift of its planes.
#include "chunk/kernels/aes_lanes.h"

namespace cairn::chunk::kernels {
namespace {

struct Tables {
  explicit Tables(const ToeplitzDigest& digest) : in(digest.in), out(digest.out) {}

  const LookupTable<std::uint64_t>& in;
  const LookupTable<std::uint64_t>& out;
};

class Rolling {
 public:
  static constexpr bool kManyRegisters = true;

  using Constants = Tables;

  CAIRN_INLINE explicit Rolling(const Tables& tables) : tables_(tables) {
    for (__m512i& plane : planes_) plane = _mm512_setzero_si512();
  }

  CAIRN_INLINE void begin(__m512i in) {
    begin(_mm512_setzero_si512(), in);
    // Byte 0 changes the digest as any other does, so nothing has to be looked up for what does not leave.
    leaving_low_ = 0;
  }

  CAIRN_INLINE void begin(__m512i out, __m512i in) {
    // A matrix that makes x^64 of a byte's highest bit.
    const __m512i overflow = _mm512_set1_epi64(static_cast<long long>(0x8080008080000000U));
    leaving_ = out;
    entering_ = in;
    leaving_high_ = _mm512_movepi8_mask(out);
    entering_high_ = _mm512_movepi8_mask(in);
    leaving_low_ = ~leaving_high_;
    below_ = _mm512_gf2p8affine_epi64_epi8(planes_[7], overflow, 0);
  }

  CAIRN_INLINE void part(int k) {
    constexpr int xor_three = 0x96;
    // A matrix that makes a byte's highest bit its lowest one.
    const __m512i carry = _mm512_set1_epi64(static_cast<long long>(0x8000000000000000U));
    const std::uint8_t* const in = tables_.in.planes[k];
    const std::uint8_t* const out = tables_.out.planes[k];
    const __m512i enters =
        _mm512_ternarylogic_epi64(look_up_half(in, ~entering_high_, entering_),
                                  look_up_half(in + 128, entering_high_, entering_), below_, xor_three);
    const __m512i leaves = _mm512_ternarylogic_epi64(
        look_up_half(out, leaving_low_, leaving_), look_up_half(out + 128, leaving_high_, leaving_), enters, xor_three);
    below_ = _mm512_gf2p8affine_epi64_epi8(planes_[k], carry, 0);
    planes_[k] = _mm512_xor_si512(_mm512_add_epi8(planes_[k], planes_[k]), leaves);
  }

  CAIRN_INLINE void digests(__m512i (&v)[8]) const {
    for (int k = 0; k < 8; ++k) v[k] = planes_[k];
    transpose_planes(v);
  }

  static std::size_t lane(std::size_t place) { return lane_of_planes(place); }

 private:
  // Of the entries 0 to 127 or 128 to 255 of a plane, where wanted; else zero.
  CAIRN_INLINE static __m512i look_up_half(const std::uint8_t* entries, __mmask64 wanted, __m512i index) {
    return _mm512_maskz_permutex2var_epi8(wanted, _mm512_load_si512(entries), index, _mm512_load_si512(entries + 64));
  }

  const Tables& tables_;
  Planes planes_;
  __m512i leaving_ = _mm512_setzero_si512();
  __m512i entering_ = _mm512_setzero_si512();
  __m512i below_ = _mm512_setzero_si512();  // what is shifted into the next plane
  __mmask64 leaving_low_ = 0, leaving_high_ = 0, entering_high_ = 0;
};

}  // namespace

template <>
std::size_t aes_find_lanes(const AesSecret<ToeplitzDigest>& secret, const std::byte* data, std::size_t size,
                           std::uint64_t mask) {
  return find_in_many_lanes<Rolling>(secret, data, size, mask);
}

}  // namespace cairn::chunk::kernels
