// The blockwise form in two vectors of four positions.
#include <immintrin.h>

#include "chunk/kernels/buz_scan.h"

namespace cairn::chunk::kernels {
namespace {

__m256i gather(const std::uint64_t* table, const std::byte* data) {
  int bytes;
  __builtin_memcpy(&bytes, data, sizeof bytes);
  const __m128i index = _mm_cvtepu8_epi32(_mm_cvtsi32_si128(bytes));
  return _mm256_i32gather_epi64(reinterpret_cast<const long long*>(table), index, 8);
}

__m256i rotate(__m256i v, __m256i by) {
  return _mm256_or_si256(_mm256_sllv_epi64(v, by), _mm256_srlv_epi64(v, _mm256_sub_epi64(_mm256_set1_epi64x(64), by)));
}

// Lane k becomes the XOR of lanes 0 to k.
__m256i prefix_xor(__m256i v) {
  const __m256i zero = _mm256_setzero_si256();
  v = _mm256_xor_si256(v, _mm256_blend_epi32(_mm256_permute4x64_epi64(v, 0x90), zero, 0x03));
  return _mm256_xor_si256(v, _mm256_permute2x128_si256(v, v, 0x08));
}

}  // namespace

std::size_t buz_find_avx2(const BuzTables<std::uint64_t>& tables, const std::byte* data, std::size_t window,
                          std::size_t count, std::uint64_t mask, std::uint64_t* state) {
  const __m256i turn_low = _mm256_setr_epi64x(7, 6, 5, 4);
  const __m256i turn_high = _mm256_setr_epi64x(3, 2, 1, 0);
  const __m256i masks = _mm256_set1_epi64x(static_cast<long long>(mask));
  const __m256i mask_low = rotate(masks, turn_low);
  const __m256i mask_high = rotate(masks, turn_high);
  const __m256i zero = _mm256_setzero_si256();
  const std::byte* const ahead = data + window;
  std::uint64_t hash = *state;
  std::size_t i = 0;
  if (count > 0 && (hash & mask) == 0) return 0;
  // Position i is tested already; a block tests i + 1 to i + 8.
  for (; i + 8 < count; i += 8) {
    const __m256i low = prefix_xor(
        rotate(_mm256_xor_si256(gather(tables.out.words, data + i), gather(tables.in.words, ahead + i)), turn_low));
    __m256i high = prefix_xor(rotate(
        _mm256_xor_si256(gather(tables.out.words, data + i + 4), gather(tables.in.words, ahead + i + 4)), turn_high));
    high = _mm256_xor_si256(high, _mm256_permute4x64_epi64(low, 0xff));
    const std::uint64_t base = (hash << 8U) | (hash >> 56U);
    const __m256i bases = _mm256_set1_epi64x(static_cast<long long>(base));
    const __m256i hits =
        _mm256_or_si256(_mm256_cmpeq_epi64(_mm256_and_si256(_mm256_xor_si256(bases, low), mask_low), zero),
                        _mm256_cmpeq_epi64(_mm256_and_si256(_mm256_xor_si256(bases, high), mask_high), zero));
    if (_mm256_testz_si256(hits, hits) == 0) break;
    hash = base ^ static_cast<std::uint64_t>(_mm_extract_epi64(_mm256_extracti128_si256(high, 1), 1));
  }
  *state = hash;
  return i + buz_find_scalar(tables, data + i, window, count - i, mask, state);
}

}  // namespace cairn::chunk::kernels
