// As many places of the block at once as a vector has words, the tables looked up by permutations. Each lane but the
// first hashes one whole window before it starts, so lanes must be longer than the window.
//
// A lane keeps its hash turned back by as many bits as the row has advanced. What enters and leaves is turned instead,
// so each hash is one XOR away from the last one, and after a row of 64 bytes the turns have come full circle.
// GCC 12 takes the intrinsics' own undefined operands for a mistake of ours (GCC bug 105593).
#pragma GCC diagnostic ignored "-Wuninitialized"
#include "chunk/kernels/buz_scan.h"
#include "chunk/kernels/vbmi_lookup.h"

namespace cairn::chunk::kernels {
namespace {

constexpr std::size_t kRow = kVectorBytes;  // of each lane

template <class Word>
constexpr std::size_t kBits = sizeof(Word) * 8;

template <class Word>
constexpr Word turned_back(Word value, std::size_t by) {
  by %= kBits<Word>;
  return by == 0 ? value : static_cast<Word>((value >> by) | (value << (kBits<Word> - by)));
}

// By count % bits; `count` is known when this is compiled.
CAIRN_INLINE __m512i turn_back(__m512i words, std::size_t count, std::uint64_t) {
  return _mm512_rorv_epi64(words, _mm512_set1_epi64(static_cast<long long>(count % 64)));
}
CAIRN_INLINE __m512i turn_back(__m512i words, std::size_t count, std::uint32_t) {
  return _mm512_rorv_epi32(words, _mm512_set1_epi32(static_cast<int>(count % 32)));
}
CAIRN_INLINE __m512i same(std::uint64_t word) { return _mm512_set1_epi64(static_cast<long long>(word)); }
CAIRN_INLINE __m512i same(std::uint32_t word) { return _mm512_set1_epi32(static_cast<int>(word)); }
CAIRN_INLINE __m512i smaller(__m512i a, __m512i b, std::uint64_t) { return _mm512_min_epu64(a, b); }
CAIRN_INLINE __m512i smaller(__m512i a, __m512i b, std::uint32_t) { return _mm512_min_epu32(a, b); }
CAIRN_INLINE unsigned zeros(__m512i words, std::uint64_t) { return _mm512_testn_epi64_mask(words, words); }
CAIRN_INLINE unsigned zeros(__m512i words, std::uint32_t) { return _mm512_testn_epi32_mask(words, words); }

// The next 64 bytes of each lane enter the hashes.
template <class Word>
CAIRN_INLINE __m512i take_row(const LookupTable<Word>& in, const std::byte* data, std::size_t stride, __m512i hashes) {
  __m512i columns[Lanes<Word>::kColumns];
  load_columns(data, stride, columns);
#pragma GCC unroll 16
  for (std::size_t k = 0; k < Lanes<Word>::kColumns; ++k) {
    __m512i words[Lanes<Word>::kWordBytes];
    look_up(in, columns[column_place<Word>(k)], words);
    transpose_planes(words);
#pragma GCC unroll 16
    for (std::size_t t = 0; t < Lanes<Word>::kWordBytes; ++t) {
      hashes = _mm512_xor_si512(hashes, turn_back(words[t], k * Lanes<Word>::kWordBytes + t + 1, Word{}));
    }
  }
  return hashes;
}

template <class Word>
struct Row {
  __m512i hashes;
  __m512i least;  // of what the mask left of the hashes on the way
};

// Tests 64 windows of each lane, each before it moves on. masks[t] is turned back by t bits.
template <class Word>
CAIRN_INLINE Row<Word> scan_row(const BuzTables<Word>& tables, const std::byte* data, std::size_t window,
                                std::size_t stride, const Word* masks, __m512i hashes) {
  constexpr std::size_t word_bytes = Lanes<Word>::kWordBytes;
  __m512i leaving[Lanes<Word>::kColumns];
  __m512i entering[Lanes<Word>::kColumns];
  load_columns(data, stride, leaving);
  load_columns(data + window, stride, entering);
  __m512i least = _mm512_set1_epi64(-1);
#pragma GCC unroll 16
  for (std::size_t k = 0; k < Lanes<Word>::kColumns; ++k) {
    __m512i words[word_bytes];
    look_up_both(tables.out, leaving[column_place<Word>(k)], tables.in, entering[column_place<Word>(k)], words);
    transpose_planes(words);
#pragma GCC unroll 16
    for (std::size_t t = 0; t < word_bytes; ++t) {
      const std::size_t at = k * word_bytes + t;
      least = smaller(least, _mm512_and_si512(hashes, same(masks[at % kBits<Word>])), Word{});
      hashes = _mm512_xor_si512(hashes, turn_back(words[t], at + 1, Word{}));
    }
  }
  return {.hashes = hashes, .least = least};
}

// Tests `length` windows, a multiple of 64, in each lane.
template <class Word>
std::size_t find_in_lanes(const BuzTables<Word>& tables, const std::byte* data, std::size_t window, std::size_t length,
                          Word mask, Word* state) {
  constexpr std::size_t lane_count = Lanes<Word>::kCount;
  Word masks[kBits<Word>];
  for (std::size_t t = 0; t < kBits<Word>; ++t) masks[t] = turned_back(mask, t);
  // Every lane hashes its first window, except that the first one's hash is known.
  alignas(64) Word at_row[lane_count] = {};
  std::size_t taken = 0;
  for (; taken < window % kRow; ++taken) {
    for (std::size_t k = 0; k < lane_count; ++k) {
      at_row[k] = turned_back(at_row[k], kBits<Word> - 1) ^
                  tables.in.words[static_cast<std::uint8_t>(data[k * length + taken])];
    }
  }
  __m512i hashes = _mm512_load_si512(at_row);
  for (; taken < window; taken += kRow) hashes = take_row(tables.in, data + taken, length, hashes);
  _mm512_store_si512(at_row, hashes);
  at_row[0] = *state;
  hashes = _mm512_load_si512(at_row);

  std::size_t lanes = lane_count;  // those that can still have the first hit
  std::size_t found = lane_count * length;
  Word found_state = 0;
  for (std::size_t offset = 0; offset < length; offset += kRow) {
    prefetch_next_block<lane_count>(data + window + offset, length);
    const Row<Word> row = scan_row(tables, data + offset, window, length, masks, hashes);
    const unsigned hits = zeros(row.least, Word{}) & ((1U << lanes) - 1);
    if (hits != 0) {
      lanes = static_cast<std::size_t>(__builtin_ctz(hits));
      _mm512_store_si512(at_row, hashes);
      found_state = at_row[lanes];
      const std::size_t from = lanes * length + offset;
      found = from + buz_find_scalar(tables, data + from, window, kRow, mask, &found_state);
      if (lanes == 0) break;
    }
    hashes = row.hashes;
  }
  _mm512_store_si512(at_row, hashes);
  *state = found < lane_count * length ? found_state : at_row[lane_count - 1];
  return found;
}

}  // namespace

template <class Word>
std::size_t buz_find_vbmi(const BuzTables<Word>& tables, const std::byte* data, std::size_t window, std::size_t count,
                          Word mask, Word* state) {
  constexpr std::size_t lane_count = Lanes<Word>::kCount;
  // Work behind a hit is lost, so lanes are short where hits are frequent.
  const std::size_t expected = static_cast<std::size_t>(mask) + 1;
  const std::size_t longest = expected / 4 / lane_count < 32768 ? expected / 4 / lane_count : 32768;
  std::size_t i = 0;
  while (i < count) {
    std::size_t length = (count - i) / lane_count / kRow * kRow;
    if (length > longest) length = longest;
    if (length < 512 || length < 2 * window) break;  // not worth a window for each lane
    const std::size_t hit = find_in_lanes(tables, data + i, window, length, mask, state);
    i += hit;
    if (hit < lane_count * length) return i;
  }
  return i + buz_find_lanes(tables, data + i, window, count - i, mask, state);
}

template std::size_t buz_find_vbmi(const BuzTables<std::uint64_t>&, const std::byte*, std::size_t, std::size_t,
                                   std::uint64_t, std::uint64_t*);
template std::size_t buz_find_vbmi(const BuzTables<std::uint32_t>&, const std::byte*, std::size_t, std::size_t,
                                   std::uint32_t, std::uint32_t*);

}  // namespace cairn::chunk::kernels
