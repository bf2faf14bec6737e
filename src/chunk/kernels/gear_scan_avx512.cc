// The blockwise form in one vector of eight positions.
// GCC 12 takes the intrinsics' own undefined operands for a mistake of ours (GCC bug 105593).
#pragma GCC diagnostic ignored "-Wuninitialized"
#include <immintrin.h>

#include "chunk/kernels/gear_scan.h"

namespace cairn::chunk::kernels {

std::size_t gear_find_avx512(const GearTable& table, const std::byte* data, std::size_t size, std::uint64_t limit,
                             std::uint64_t* state) {
  const __m512i zero = _mm512_setzero_si512();
  const __m512i shifts = _mm512_setr_epi64(7, 6, 5, 4, 3, 2, 1, 0);
  const __m512i limits = _mm512_set1_epi64(static_cast<long long>(limit));
  const __m512i bound = _mm512_sub_epi64(_mm512_sllv_epi64(limits, shifts), _mm512_set1_epi64(1));
  std::uint64_t hash = *state;
  std::size_t i = 0;
  for (; i + 8 <= size; i += 8) {
    long long bytes;
    __builtin_memcpy(&bytes, data + i, sizeof bytes);
    const __m512i index = _mm512_cvtepu8_epi64(_mm_cvtsi64_si128(bytes));
    __m512i sum = _mm512_sllv_epi64(_mm512_i64gather_epi64(index, table.words, 8), shifts);
    sum = _mm512_add_epi64(sum, _mm512_alignr_epi64(sum, zero, 7));
    sum = _mm512_add_epi64(sum, _mm512_alignr_epi64(sum, zero, 6));
    sum = _mm512_add_epi64(sum, _mm512_alignr_epi64(sum, zero, 4));
    const std::uint64_t base = hash << 8U;
    const __m512i hashes = _mm512_add_epi64(sum, _mm512_set1_epi64(static_cast<long long>(base)));
    if (_mm512_cmple_epu64_mask(hashes, bound) != 0) {
      const std::size_t hit = gear_find_scalar(table, data + i, 8, limit, &hash);
      if (hit < 8) {
        *state = hash;
        return i + hit;
      }
    } else {
      hash = base + static_cast<std::uint64_t>(_mm_extract_epi64(_mm512_extracti64x2_epi64(sum, 3), 1));
    }
  }
  *state = hash;
  return i + gear_find_scalar(table, data + i, size - i, limit, state);
}

}  // namespace cairn::chunk::kernels
