// Eight places of the block at once, one per lane of a vector, the table looked up by permutations. Each lane but the
// first warms up over the 64 bytes before it, which is exact.
// GCC 12 takes the intrinsics' own undefined operands for a mistake of ours (GCC bug 105593).
#pragma GCC diagnostic ignored "-Wuninitialized"
#include "chunk/kernels/gear_scan.h"
#include "chunk/kernels/vbmi_lookup.h"

namespace cairn::chunk::kernels {
namespace {

using GearLanes = Lanes<std::uint64_t>;
constexpr std::size_t kRow = kVectorBytes;  // of each lane; also how much a lane needs to warm up
// Two vectors side by side, because a sum waits for the sum before it.
constexpr std::size_t kVectors = 2;
constexpr std::size_t kLanes = kVectors * GearLanes::kCount;

struct Row {
  __m512i hashes[kVectors];
  __m512i least[kVectors];  // of the hashes on the way
};

CAIRN_INLINE void scan_row(const GearTable& table, const std::byte* data, std::size_t stride, Row& row) {
  __m512i columns[kVectors][GearLanes::kColumns];
#pragma GCC unroll 16
  for (std::size_t v = 0; v < kVectors; ++v) {
    load_columns(data + v * GearLanes::kCount * stride, stride, columns[v]);
    row.least[v] = _mm512_set1_epi64(-1);
  }
#pragma GCC unroll 16
  for (std::size_t k = 0; k < GearLanes::kColumns; ++k) {
#pragma GCC unroll 16
    for (std::size_t v = 0; v < kVectors; ++v) {
      __m512i words[GearLanes::kWordBytes];
      look_up(table, columns[v][column_place<std::uint64_t>(k)], words);
      transpose_planes(words);
#pragma GCC unroll 16
      for (const __m512i word : words) {
        row.hashes[v] = _mm512_add_epi64(_mm512_add_epi64(row.hashes[v], row.hashes[v]), word);
        row.least[v] = _mm512_min_epu64(row.least[v], row.hashes[v]);
      }
    }
  }
}

// Scans kLanes lanes of `length` bytes, a multiple of 64.
std::size_t find_in_lanes(const GearTable& table, const std::byte* data, std::size_t length, std::uint64_t limit,
                          std::uint64_t* state) {
  const __m512i limits = _mm512_set1_epi64(static_cast<long long>(limit));
  // Lane 0 has a state already, and perhaps nothing before it; each other one starts with what ends the one before it.
  Row row{};
  scan_row(table, data + length - kRow, length, row);
  row.hashes[1] = _mm512_alignr_epi64(row.hashes[1], row.hashes[0], 7);
  row.hashes[0] = _mm512_alignr_epi64(row.hashes[0], row.hashes[0], 7);
  row.hashes[0] = _mm512_mask_set1_epi64(row.hashes[0], 1, static_cast<long long>(*state));
  std::size_t lanes = kLanes;  // those that can still have the first hit
  std::size_t found = kLanes * length;
  std::uint64_t found_state = 0;
  alignas(64) std::uint64_t hashes[kLanes];
  for (std::size_t offset = 0; offset < length; offset += kRow) {
    _mm512_store_si512(hashes, row.hashes[0]);
    _mm512_store_si512(hashes + GearLanes::kCount, row.hashes[1]);
    prefetch_next_block<kLanes>(data + offset, length);
    scan_row(table, data + offset, length, row);
    const unsigned low = _mm512_cmplt_epu64_mask(row.least[0], limits);
    const unsigned high = _mm512_cmplt_epu64_mask(row.least[1], limits);
    const unsigned hits = (low | high << 8U) & ((1U << lanes) - 1);
    if (hits != 0) {
      lanes = static_cast<std::size_t>(__builtin_ctz(hits));
      found_state = hashes[lanes];
      const std::size_t from = lanes * length + offset;
      found = from + gear_find_scalar(table, data + from, kRow, limit, &found_state);
      if (lanes == 0) break;
    }
  }
  _mm512_store_si512(hashes, row.hashes[1]);
  *state = found < kLanes * length ? found_state : hashes[7];
  return found;
}

}  // namespace

std::size_t gear_find_vbmi(const GearTable& table, const std::byte* data, std::size_t size, std::uint64_t limit,
                           std::uint64_t* state) {
  // Work behind a hit is lost, so lanes are short where hits are frequent.
  constexpr std::size_t longest = 8192;
  constexpr std::size_t shortest = 256;
  const std::size_t expected = std::size_t{2} << static_cast<unsigned>(__builtin_clzll(limit));
  std::size_t length = expected / 64;
  if (length > longest) length = longest;
  std::size_t i = 0;
  while (length >= shortest) {
    const std::size_t step = kLanes * length;
    if (size - i < step) {
      length /= 2;
      continue;
    }
    const std::size_t hit = find_in_lanes(table, data + i, length, limit, state);
    i += hit;
    if (hit < step) return i;
  }
  return i + gear_find_scalar(table, data + i, size - i, limit, state);
}

}  // namespace cairn::chunk::kernels
