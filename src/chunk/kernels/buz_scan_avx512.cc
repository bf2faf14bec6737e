// The blockwise form in one vector of eight positions.
// GCC 12 takes the intrinsics' own undefined operands for a mistake of ours (GCC bug 105593).
#pragma GCC diagnostic ignored "-Wuninitialized"
#include <immintrin.h>

#include "chunk/kernels/buz_scan.h"

namespace cairn::chunk::kernels {
namespace {

__m512i gather(const std::uint64_t* table, const std::byte* data) {
  long long bytes;
  __builtin_memcpy(&bytes, data, sizeof bytes);
  return _mm512_i64gather_epi64(_mm512_cvtepu8_epi64(_mm_cvtsi64_si128(bytes)), table, 8);
}

}  // namespace

std::size_t buz_find_avx512(const BuzTables<std::uint64_t>& tables, const std::byte* data, std::size_t window,
                            std::size_t count, std::uint64_t mask, std::uint64_t* state) {
  const __m512i zero = _mm512_setzero_si512();
  const __m512i turns = _mm512_setr_epi64(7, 6, 5, 4, 3, 2, 1, 0);
  const __m512i masks = _mm512_rolv_epi64(_mm512_set1_epi64(static_cast<long long>(mask)), turns);
  const std::byte* const ahead = data + window;
  std::uint64_t hash = *state;
  std::size_t i = 0;
  if (count > 0 && (hash & mask) == 0) return 0;
  // Position i is tested already; a block tests i + 1 to i + 8.
  for (; i + 8 < count; i += 8) {
    __m512i sum = _mm512_rolv_epi64(
        _mm512_xor_si512(gather(tables.out.words, data + i), gather(tables.in.words, ahead + i)), turns);
    sum = _mm512_xor_si512(sum, _mm512_alignr_epi64(sum, zero, 7));
    sum = _mm512_xor_si512(sum, _mm512_alignr_epi64(sum, zero, 6));
    sum = _mm512_xor_si512(sum, _mm512_alignr_epi64(sum, zero, 4));
    const std::uint64_t base = (hash << 8U) | (hash >> 56U);
    const __m512i hashes = _mm512_xor_si512(sum, _mm512_set1_epi64(static_cast<long long>(base)));
    if (_mm512_testn_epi64_mask(hashes, masks) != 0) break;
    hash = base ^ static_cast<std::uint64_t>(_mm_extract_epi64(_mm512_extracti64x2_epi64(sum, 3), 1));
  }
  *state = hash;
  return i + buz_find_scalar(tables, data + i, window, count - i, mask, state);
}

}  // namespace cairn::chunk::kernels
