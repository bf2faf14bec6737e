// The blockwise form in two vectors of four positions.
#include <immintrin.h>

#include "chunk/kernels/gear_scan.h"

namespace cairn::chunk::kernels {
namespace {

__m256i gather(const std::uint64_t* table, const std::byte* data) {
  int bytes;
  __builtin_memcpy(&bytes, data, sizeof bytes);
  const __m128i index = _mm_cvtepu8_epi32(_mm_cvtsi32_si128(bytes));
  return _mm256_i32gather_epi64(reinterpret_cast<const long long*>(table), index, 8);
}

// Lane k becomes the sum of lanes 0 to k.
__m256i prefix_sum(__m256i v) {
  const __m256i zero = _mm256_setzero_si256();
  v = _mm256_add_epi64(v, _mm256_blend_epi32(_mm256_permute4x64_epi64(v, 0x90), zero, 0x03));
  return _mm256_add_epi64(v, _mm256_permute2x128_si256(v, v, 0x08));
}

// Lanes with a <= b, unsigned.
__m256i not_above(__m256i a, __m256i b) {
  const __m256i sign = _mm256_set1_epi64x(static_cast<long long>(std::uint64_t{1} << 63U));
  const __m256i above = _mm256_cmpgt_epi64(_mm256_xor_si256(a, sign), _mm256_xor_si256(b, sign));
  return _mm256_xor_si256(above, _mm256_set1_epi64x(-1));
}

}  // namespace

std::size_t gear_find_avx2(const GearTable& table, const std::byte* data, std::size_t size, std::uint64_t limit,
                           std::uint64_t* state) {
  const __m256i shift_low = _mm256_setr_epi64x(7, 6, 5, 4);
  const __m256i shift_high = _mm256_setr_epi64x(3, 2, 1, 0);
  const __m256i limits = _mm256_set1_epi64x(static_cast<long long>(limit));
  const __m256i one = _mm256_set1_epi64x(1);
  const __m256i bound_low = _mm256_sub_epi64(_mm256_sllv_epi64(limits, shift_low), one);
  const __m256i bound_high = _mm256_sub_epi64(_mm256_sllv_epi64(limits, shift_high), one);
  std::uint64_t hash = *state;
  std::size_t i = 0;
  for (; i + 8 <= size; i += 8) {
    const __m256i low = prefix_sum(_mm256_sllv_epi64(gather(table.words, data + i), shift_low));
    __m256i high = prefix_sum(_mm256_sllv_epi64(gather(table.words, data + i + 4), shift_high));
    high = _mm256_add_epi64(high, _mm256_permute4x64_epi64(low, 0xff));
    const std::uint64_t base = hash << 8U;
    const __m256i bases = _mm256_set1_epi64x(static_cast<long long>(base));
    const __m256i candidates = _mm256_or_si256(not_above(_mm256_add_epi64(bases, low), bound_low),
                                               not_above(_mm256_add_epi64(bases, high), bound_high));
    if (_mm256_testz_si256(candidates, candidates) == 0) {
      const std::size_t hit = gear_find_scalar(table, data + i, 8, limit, &hash);
      if (hit < 8) {
        *state = hash;
        return i + hit;
      }
    } else {
      hash = base + static_cast<std::uint64_t>(_mm_extract_epi64(_mm256_extracti128_si256(high, 1), 1));
    }
  }
  *state = hash;
  return i + gear_find_scalar(table, data + i, size - i, limit, state);
}

}  // namespace cairn::chunk::kernels
