// As many lanes as a vector has words, the tables looked up by permutations.
//
// A lane keeps its hash turned back by as many bits as the row has advanced. What enters and leaves is turned instead,
// so each hash is one XOR away from the last one, and after a row of 64 bytes the turns have come full circle.
// GCC 12 takes the intrinsics' own undefined operands for a mistake of ours (GCC bug 105593).
#pragma GCC diagnostic ignored "-Wuninitialized"
#include "chunk/kernels/buz_lanes.h"
#include "chunk/kernels/vbmi_lookup.h"

namespace cairn::chunk::kernels {
namespace {

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

template <class Word>
class Vbmi {
 public:
  static constexpr std::size_t kLanes = Lanes<Word>::kCount;
  static constexpr std::size_t kRow = kVectorBytes;

  explicit Vbmi(Word mask) {
    for (std::size_t t = 0; t < kBits; ++t) {
      masks_[t] = mask;
      mask = static_cast<Word>((mask >> 1U) | (mask << (kBits - 1)));
    }
  }

  void take_row(const LookupTable<Word>& in, const std::byte* data, std::size_t stride, Word* states) const {
    __m512i columns[Lanes<Word>::kColumns];
    load_columns(data, stride, columns);
    __m512i hashes = _mm512_load_si512(states);
#pragma GCC unroll 16
    for (std::size_t k = 0; k < Lanes<Word>::kColumns; ++k) {
      __m512i words[kStep];
      look_up(in, columns[column_place<Word>(k)], words);
      transpose_planes(words);
#pragma GCC unroll 16
      for (std::size_t t = 0; t < kStep; ++t) {
        hashes = _mm512_xor_si512(hashes, turn_back(words[t], k * kStep + t + 1, Word{}));
      }
    }
    _mm512_store_si512(states, hashes);
  }

  unsigned scan_row(const BuzTables<Word>& tables, const std::byte* data, std::size_t window, std::size_t stride,
                    Word* states) const {
    prefetch_next_block<kLanes>(data + window, stride);
    __m512i leaving[Lanes<Word>::kColumns];
    __m512i entering[Lanes<Word>::kColumns];
    load_columns(data, stride, leaving);
    load_columns(data + window, stride, entering);
    __m512i hashes = _mm512_load_si512(states);
    __m512i least = _mm512_set1_epi64(-1);  // of what the mask leaves of the hashes
#pragma GCC unroll 16
    for (std::size_t k = 0; k < Lanes<Word>::kColumns; ++k) {
      __m512i words[kStep];
      look_up_both(tables.out, leaving[column_place<Word>(k)], tables.in, entering[column_place<Word>(k)], words);
      transpose_planes(words);
#pragma GCC unroll 16
      for (std::size_t t = 0; t < kStep; ++t) {
        const std::size_t at = k * kStep + t;
        least = smaller(least, _mm512_and_si512(hashes, same(masks_[at % kBits])), Word{});
        hashes = _mm512_xor_si512(hashes, turn_back(words[t], at + 1, Word{}));
      }
    }
    _mm512_store_si512(states, hashes);
    return zeros(least, Word{});
  }

 private:
  static constexpr std::size_t kBits = sizeof(Word) * 8;
  static constexpr std::size_t kStep = Lanes<Word>::kWordBytes;
  Word masks_[kBits];  // turned back by 0, 1, 2 ... bits
};

}  // namespace

template <class Word>
std::size_t buz_find_vbmi(const BuzTables<Word>& tables, const std::byte* data, std::size_t window, std::size_t count,
                          Word mask, Word* state) {
  return buz_find_with<Vbmi<Word>>(tables, data, window, count, mask, state);
}

template std::size_t buz_find_vbmi(const BuzTables<std::uint64_t>&, const std::byte*, std::size_t, std::size_t,
                                   std::uint64_t, std::uint64_t*);
template std::size_t buz_find_vbmi(const BuzTables<std::uint32_t>&, const std::byte*, std::size_t, std::size_t,
                                   std::uint32_t, std::uint32_t*);

}  // namespace cairn::chunk::kernels
