// rabin-aes: all its tables are linear over GF(2), so a look-up is a product with a matrix, 64 at once.
#include "chunk/kernels/aes_lanes.h"

namespace cairn::chunk::kernels {
namespace {

// The matrix of byte `place` of a linear table, as GFNI wants it: row 7 - i makes bit i.
__m512i matrix(const std::uint64_t (&table)[256], unsigned place) {
  std::uint64_t rows = 0;
  for (unsigned in = 0; in < 8; ++in) {
    const auto column = static_cast<std::uint8_t>(table[1U << in] >> (8 * place));
    for (unsigned out = 0; out < 8; ++out) rows |= ((std::uint64_t{column} >> out) & 1U) << (8 * (7 - out) + in);
  }
  return _mm512_set1_epi64(static_cast<long long>(rows));
}

struct Matrices {
  explicit Matrices(const RabinDigest& digest) {
    for (unsigned k = 0; k < 8; ++k) {
      top[k] = matrix(digest.top, k);
      out[k] = matrix(digest.out, k);
    }
  }

  __m512i top[8];
  __m512i out[8];
};

class Rolling {
 public:
  static constexpr bool kManyRegisters = true;
  using Constants = Matrices;

  CAIRN_INLINE explicit Rolling(const Matrices& matrices) : matrices_(&matrices) {
    for (__m512i& plane : planes_) plane = _mm512_setzero_si512();
  }

  CAIRN_INLINE void begin(__m512i in) { begin(_mm512_setzero_si512(), in); }

  CAIRN_INLINE void begin(__m512i out, __m512i in) {
    matrices_ = in_memory(matrices_);
    leaving_ = out;
    overflow_ = planes_[7];
    below_ = in;
  }

  CAIRN_INLINE void part(int k) {
    constexpr int xor_three = 0x96;
    const __m512i shifted = below_;
    below_ = planes_[k];
    planes_[k] = _mm512_ternarylogic_epi64(shifted, _mm512_gf2p8affine_epi64_epi8(overflow_, matrices_->top[k], 0),
                                           _mm512_gf2p8affine_epi64_epi8(leaving_, matrices_->out[k], 0), xor_three);
  }

  CAIRN_INLINE void digests(__m512i (&v)[8]) const {
    for (int k = 0; k < 8; ++k) v[k] = planes_[k];
    transpose_planes(v);
  }

  static std::size_t lane(std::size_t place) { return lane_of_planes(place); }

 private:
  const Matrices* matrices_;
  Planes planes_;
  __m512i leaving_ = _mm512_setzero_si512();
  __m512i overflow_ = _mm512_setzero_si512();
  __m512i below_ = _mm512_setzero_si512();  // what is shifted into the next plane
};

}  // namespace

template <>
std::size_t aes_find_lanes(const AesSecret<RabinDigest>& secret, const std::byte* data, std::size_t size,
                           std::uint64_t mask) {
  return find_in_many_lanes<Rolling>(secret, data, size, mask);
}

}  // namespace cairn::chunk::kernels
