// Table lookups without loads, for files that are built with AVX-512 VBMI: a table of 256 bytes fits four registers,
// two permutations and a blend look up 64 bytes at once, and a transposition makes words of one such plane per byte of
// the word. Nothing that memory shows depends on secrets or data.
//
// The words of one vector belong to lanes that lie `stride` bytes apart in the data. A step takes as many bytes of each
// lane as a word has; the bytes of a step are kept transposed ("a column") so that the words come out in order.
//
// Everything is internal to the file that includes this. Source: docs/format (chunkers, section 13.4).
#pragma once

#include <immintrin.h>

#include "chunk/kernels/lookup_table.h"

namespace cairn::chunk::kernels {
namespace {

#define CAIRN_INLINE [[gnu::always_inline]] inline

constexpr std::size_t kVectorBytes = 64;  // of one lane in a row of columns, too

template <class Word>
struct Lanes {
  static constexpr std::size_t kWordBytes = sizeof(Word);
  static constexpr std::size_t kCount = kVectorBytes / kWordBytes;    // lanes
  static constexpr std::size_t kColumns = kVectorBytes / kWordBytes;  // in 64 bytes of each lane
};

// Of a matrix whose elements are 128 bits.
CAIRN_INLINE void transpose_blocks(__m512i& a, __m512i& b, __m512i& c, __m512i& d) {
  const __m512i ab_low = _mm512_shuffle_i64x2(a, b, 0x44);
  const __m512i ab_high = _mm512_shuffle_i64x2(a, b, 0xee);
  const __m512i cd_low = _mm512_shuffle_i64x2(c, d, 0x44);
  const __m512i cd_high = _mm512_shuffle_i64x2(c, d, 0xee);
  a = _mm512_shuffle_i64x2(ab_low, cd_low, 0x88);
  b = _mm512_shuffle_i64x2(ab_low, cd_low, 0xdd);
  c = _mm512_shuffle_i64x2(ab_high, cd_high, 0x88);
  d = _mm512_shuffle_i64x2(ab_high, cd_high, 0xdd);
}

CAIRN_INLINE __m512i load_row(const std::byte* data) { return _mm512_loadu_si512(data); }

// The next 64 bytes of each lane as columns. A column's block of 128 bits holds the bytes of neighbouring lanes, first
// bytes first: two lanes of eight bytes, or four of four.
CAIRN_INLINE void load_columns(const std::byte* data, std::size_t stride, __m512i (&columns)[8]) {
#pragma GCC unroll 16
  for (std::size_t pair = 0; pair < 4; ++pair) {
    const __m512i even = load_row(data + 2 * pair * stride);
    const __m512i odd = load_row(data + (2 * pair + 1) * stride);
    columns[pair] = _mm512_unpacklo_epi8(even, odd);
    columns[4 + pair] = _mm512_unpackhi_epi8(even, odd);
  }
  transpose_blocks(columns[0], columns[1], columns[2], columns[3]);
  transpose_blocks(columns[4], columns[5], columns[6], columns[7]);
}
// Where column k is after that.
template <class Word>
constexpr std::size_t column_place(std::size_t k);
template <>
constexpr std::size_t column_place<std::uint64_t>(std::size_t k) {
  return k / 2 + k % 2 * 4;
}

CAIRN_INLINE void load_columns(const std::byte* data, std::size_t stride, __m512i (&columns)[16]) {
#pragma GCC unroll 16
  for (std::size_t four = 0; four < 4; ++four) {
    const std::byte* const at = data + 4 * four * stride;
    const __m512i a = load_row(at);
    const __m512i b = load_row(at + stride);
    const __m512i c = load_row(at + 2 * stride);
    const __m512i d = load_row(at + 3 * stride);
    const __m512i ab_low = _mm512_unpacklo_epi8(a, b);
    const __m512i ab_high = _mm512_unpackhi_epi8(a, b);
    const __m512i cd_low = _mm512_unpacklo_epi8(c, d);
    const __m512i cd_high = _mm512_unpackhi_epi8(c, d);
    columns[four] = _mm512_unpacklo_epi16(ab_low, cd_low);
    columns[4 + four] = _mm512_unpackhi_epi16(ab_low, cd_low);
    columns[8 + four] = _mm512_unpacklo_epi16(ab_high, cd_high);
    columns[12 + four] = _mm512_unpackhi_epi16(ab_high, cd_high);
  }
#pragma GCC unroll 16
  for (std::size_t i = 0; i < 16; i += 4) transpose_blocks(columns[i], columns[i + 1], columns[i + 2], columns[i + 3]);
}
template <>
constexpr std::size_t column_place<std::uint32_t>(std::size_t k) {
  return k / 4 + k % 4 * 4;
}

// Asks for the same rows of the lanes of the next block; that may lie behind the data's end.
template <std::size_t Count>
CAIRN_INLINE void prefetch_next_block(const std::byte* data, std::size_t stride) {
#pragma GCC unroll 16
  for (std::size_t lane = 0; lane < Count; ++lane) {
    __builtin_prefetch(data + (Count + lane) * stride, 0, 2);
  }
}

// Byte k of the words of all bytes of the column, for each k.
template <class Word>
CAIRN_INLINE void look_up(const LookupTable<Word>& table, __m512i column, __m512i (&planes)[sizeof(Word)]) {
  const __mmask64 upper = _mm512_movepi8_mask(column);
#pragma GCC unroll 16
  for (std::size_t k = 0; k < Lanes<Word>::kWordBytes; ++k) {
    const std::uint8_t* const plane = table.planes[k];
    const __m512i low = _mm512_permutex2var_epi8(_mm512_load_si512(plane), column, _mm512_load_si512(plane + 64));
    const __m512i high =
        _mm512_permutex2var_epi8(_mm512_load_si512(plane + 128), column, _mm512_load_si512(plane + 192));
    planes[k] = _mm512_mask_blend_epi8(upper, low, high);
  }
}

// The same for two tables, combined by XOR.
template <class Word>
CAIRN_INLINE void look_up_both(const LookupTable<Word>& table, __m512i column, const LookupTable<Word>& other_table,
                               __m512i other, __m512i (&planes)[sizeof(Word)]) {
  const __mmask64 upper = _mm512_movepi8_mask(column);
  const __mmask64 other_upper = _mm512_movepi8_mask(other);
  const auto half = [](const std::uint8_t* plane, __mmask64 wanted, __m512i index) {
    return _mm512_maskz_permutex2var_epi8(wanted, _mm512_load_si512(plane), index, _mm512_load_si512(plane + 64));
  };
#pragma GCC unroll 16
  for (std::size_t k = 0; k < Lanes<Word>::kWordBytes; ++k) {
    const std::uint8_t* const plane = table.planes[k];
    const std::uint8_t* const other_plane = other_table.planes[k];
    const __m512i three = _mm512_ternarylogic_epi64(half(plane, ~upper, column), half(plane + 128, upper, column),
                                                    half(other_plane, ~other_upper, other), 0x96);
    planes[k] = _mm512_xor_si512(three, half(other_plane + 128, other_upper, other));
  }
}

// Words out of planes: words[t] is the word of byte t of each lane's step, lane by lane.
CAIRN_INLINE void transpose_planes(__m512i (&v)[8]) {
  __m512i pairs[8];  // by planes 01 23 45 67, first half of the step and then the second
#pragma GCC unroll 16
  for (std::size_t i = 0; i < 4; ++i) {
    pairs[i] = _mm512_unpacklo_epi8(v[2 * i], v[2 * i + 1]);
    pairs[4 + i] = _mm512_unpackhi_epi8(v[2 * i], v[2 * i + 1]);
  }
#pragma GCC unroll 16
  for (std::size_t half = 0; half < 2; ++half) {
    const __m512i* const p = pairs + 4 * half;
    const __m512i lower[2] = {_mm512_unpacklo_epi16(p[0], p[1]), _mm512_unpackhi_epi16(p[0], p[1])};
    const __m512i upper[2] = {_mm512_unpacklo_epi16(p[2], p[3]), _mm512_unpackhi_epi16(p[2], p[3])};
#pragma GCC unroll 16
    for (std::size_t i = 0; i < 2; ++i) {
      v[4 * half + 2 * i] = _mm512_unpacklo_epi32(lower[i], upper[i]);
      v[4 * half + 2 * i + 1] = _mm512_unpackhi_epi32(lower[i], upper[i]);
    }
  }
}

CAIRN_INLINE void transpose_planes(__m512i (&v)[4]) {
  const __m512i low[2] = {_mm512_unpacklo_epi8(v[0], v[1]), _mm512_unpacklo_epi8(v[2], v[3])};
  const __m512i high[2] = {_mm512_unpackhi_epi8(v[0], v[1]), _mm512_unpackhi_epi8(v[2], v[3])};
  v[0] = _mm512_unpacklo_epi16(low[0], low[1]);
  v[1] = _mm512_unpackhi_epi16(low[0], low[1]);
  v[2] = _mm512_unpacklo_epi16(high[0], high[1]);
  v[3] = _mm512_unpackhi_epi16(high[0], high[1]);
}

}  // namespace
}  // namespace cairn::chunk::kernels
