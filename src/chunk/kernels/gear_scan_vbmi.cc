// Sixteen lanes in two vectors, the table looked up by permutations.
// GCC 12 takes the intrinsics' own undefined operands for a mistake of ours (GCC bug 105593).
#pragma GCC diagnostic ignored "-Wuninitialized"
#include "chunk/kernels/gear_lanes.h"
#include "chunk/kernels/vbmi_lookup.h"

namespace cairn::chunk::kernels {
namespace {

struct Vbmi {
  using Words = Lanes<std::uint64_t>;
  // Two vectors side by side, because a sum waits for the sum before it.
  static constexpr std::size_t kVectors = 2;
  static constexpr std::size_t kLanes = kVectors * Words::kCount;
  static constexpr std::size_t kRow = kVectorBytes;

  static unsigned scan_row(const GearTable& table, const std::byte* data, std::size_t stride, std::uint64_t limit,
                           std::uint64_t* states) {
    prefetch_next_block<kLanes>(data, stride);
    __m512i columns[kVectors][Words::kColumns];
    __m512i hashes[kVectors];
    __m512i least[kVectors];
#pragma GCC unroll 16
    for (std::size_t v = 0; v < kVectors; ++v) {
      load_columns(data + v * Words::kCount * stride, stride, columns[v]);
      hashes[v] = _mm512_load_si512(states + v * Words::kCount);
      least[v] = _mm512_set1_epi64(-1);
    }
#pragma GCC unroll 16
    for (std::size_t k = 0; k < Words::kColumns; ++k) {
#pragma GCC unroll 16
      for (std::size_t v = 0; v < kVectors; ++v) {
        __m512i words[Words::kWordBytes];
        look_up(table, columns[v][column_place<std::uint64_t>(k)], words);
        transpose_planes(words);
#pragma GCC unroll 16
        for (const __m512i word : words) {
          hashes[v] = _mm512_add_epi64(_mm512_add_epi64(hashes[v], hashes[v]), word);
          least[v] = _mm512_min_epu64(least[v], hashes[v]);
        }
      }
    }
    const __m512i limits = _mm512_set1_epi64(static_cast<long long>(limit));
    unsigned hits = 0;
#pragma GCC unroll 16
    for (std::size_t v = 0; v < kVectors; ++v) {
      _mm512_store_si512(states + v * Words::kCount, hashes[v]);
      hits |= static_cast<unsigned>(_mm512_cmplt_epu64_mask(least[v], limits)) << (v * Words::kCount);
    }
    return hits;
  }
};

}  // namespace

std::size_t gear_find_vbmi(const GearTable& table, const std::byte* data, std::size_t size, std::uint64_t limit,
                           std::uint64_t* state) {
  return gear_find_with<Vbmi>(table, data, size, limit, state);
}

}  // namespace cairn::chunk::kernels
