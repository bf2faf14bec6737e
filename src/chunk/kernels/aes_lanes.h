// Sixty-four lanes of digests in vectors, encrypted by the filter without going through memory, for kernels that
// include this with a digest of their own. They are built with everything that comes with AES over 512 bits.
//
// A lane is a stretch of the data; all lanes take a step of one byte at a time. The bytes of a step are one row of a
// tile, 64 bytes of each lane transposed; the bytes that leave the windows are the rows of the tile before. Each lane
// starts with the 64 bytes before it, which is exact.
// Source: docs/format (chunkers, section 13).
#pragma once

#include "chunk/kernels/aes_filter_512.h"

#include "chunk/kernels/aes_digest.h"
#include "chunk/kernels/vbmi_lookup.h"

namespace cairn::chunk::kernels {
namespace {

constexpr std::size_t kAesLanes = 64;
constexpr std::size_t kTileSteps = 64;
static_assert(kTileSteps == kAesWindow, "the row that leaves is in the tile before");

struct Tile {
  __m512i rows[kTileSteps];
};

// Rows of eight words become columns.
CAIRN_INLINE void transpose_words(__m512i (&v)[8]) {
  __m512i pairs[8];
  for (int i = 0; i < 8; i += 2) {
    pairs[i] = _mm512_unpacklo_epi64(v[i], v[i + 1]);
    pairs[i + 1] = _mm512_unpackhi_epi64(v[i], v[i + 1]);
  }
  transpose_blocks(pairs[0], pairs[2], pairs[4], pairs[6]);
  transpose_blocks(pairs[1], pairs[3], pairs[5], pairs[7]);
  for (int i = 0; i < 8; ++i) v[i] = pairs[i];
}

// The next 64 bytes of each lane; lanes begin `length` bytes apart.
inline void load_tile(const std::byte* data, std::size_t length, Tile& tile) {
  const __m512i bytes_of_words =
      _mm512_set_epi64(0x3f372f271f170f07, 0x3e362e261e160e06, 0x3d352d251d150d05, 0x3c342c241c140c04,
                       0x3b332b231b130b03, 0x3a322a221a120a02, 0x3931292119110901, 0x3830282018100800);
  __m512i eighths[8][8];  // of the steps, by eighths of the lanes
  for (std::size_t lanes = 0; lanes < 8; ++lanes) {
    __m512i v[8];
    for (std::size_t i = 0; i < 8; ++i) v[i] = _mm512_loadu_si512(data + (8 * lanes + i) * length);
    transpose_words(v);
    for (std::size_t i = 0; i < 8; ++i) eighths[i][lanes] = _mm512_permutexvar_epi8(bytes_of_words, v[i]);
  }
  for (std::size_t steps = 0; steps < 8; ++steps) {
    transpose_words(eighths[steps]);
    for (std::size_t i = 0; i < 8; ++i) tile.rows[8 * steps + i] = eighths[steps][i];
  }
}

// Digests as planes: plane k holds byte k, the lowest first, of all lanes' digests.
using Planes = __m512i[8];

// Which lane's digest is word `place` of the eight vectors that transpose_planes() makes of planes.
constexpr std::size_t lane_of_planes(std::size_t place) { return place % 8 / 2 * 16 + place / 8 * 2 + place % 2; }

// A Rolling has the digests of all lanes:
//   Constants                               made of the Digest
//   kManyRegisters                          whether it leaves some twenty registers free
//   explicit Rolling(const Constants&)      all digests zero
//   void begin(row)                         starts a step in which nothing leaves the windows
//   void begin(leaving row, row)            starts a step
//   void part(k)                            for k = 0 to 7 in order: the parts of the step
//   void digests(v) const                   after that; canonical ones, 64 words
//   static std::size_t lane(place)          whose digest is word `place`
template <class Rolling, class Digest>
std::size_t find_in_lanes(const AesSecret<Digest>& secret, const Filter512& filter, const std::byte* data,
                          std::size_t length, std::uint64_t mask) {
  const typename Rolling::Constants constants(secret.digest);
  Rolling rolling(constants);
  Tile tiles[3];
  const Tile* leaving = &tiles[0];
  const Tile* entering = &tiles[1];
  Tile* coming = &tiles[2];
  load_tile(data - kAesWindow, length, tiles[0]);
  for (const __m512i& row : leaving->rows) {
    rolling.begin(row);
    for (int k = 0; k < 8; ++k) rolling.part(k);
  }
  load_tile(data, length, tiles[1]);
  rolling.begin(leaving->rows[0], entering->rows[0]);
  for (int k = 0; k < 8; ++k) rolling.part(k);

  std::size_t first = kAesLanes * length;
  for (std::size_t i = 0; i < length; i += kTileSteps) {
    // Behind the last step of all comes one that does not matter.
    if (i + kTileSteps < length) load_tile(data + i + kTileSteps, length, *coming);
    for (std::size_t step = 0; step < kTileSteps; ++step) {
      __m512i v[8];
      rolling.digests(v);
      // Lanes are too many streams for the CPU to foresee; what they will read of the bytes behind them is one.
      __builtin_prefetch(data + kAesLanes * (length + i + step), 0, 2);
      const bool is_last = step + 1 == kTileSteps;
      rolling.begin(is_last ? entering->rows[0] : leaving->rows[step + 1],
                    is_last ? coming->rows[0] : entering->rows[step + 1]);
      // The next step goes between the rounds: neither has to wait for its own last instruction then.
      std::uint64_t candidates = 0;
      if constexpr (Rolling::kManyRegisters) {
        candidates = filter.candidates(v, [&](int k) { rolling.part(k); });
      } else {
        candidates = filter.candidates({v[0], v[1], v[2], v[3]}, [&](int k) {
          if (k % 2 == 0) rolling.part(k / 2);
        });
        candidates |= filter.candidates({v[4], v[5], v[6], v[7]}, [&](int k) {
          if (k % 2 == 0) rolling.part(4 + k / 2);
        }) << 32U;
      }
      for (std::uint64_t bits = candidates; bits != 0; bits &= bits - 1) {
        const std::size_t hit = Rolling::lane(static_cast<std::size_t>(__builtin_ctzll(bits))) * length + i + step;
        // The words are gone from the registers; this is so rare that they are computed again.
        const std::uint64_t digest = digest_before(secret.digest, data + hit + 1);
        if (hit < first && (filter.encrypt(digest) & mask) == 0) first = hit;
      }
    }
    // Nothing in the file lies before a hit of the first lane; before others, the lanes to the left go on.
    if (first < length) return first;
    Tile* const done = &tiles[i / kTileSteps % 3];
    leaving = entering;
    entering = coming;
    coming = done;
  }
  return first;
}

template <class Rolling, class Digest>
std::size_t find_in_many_lanes(const AesSecret<Digest>& secret, const std::byte* data, std::size_t size,
                               std::uint64_t mask) {
  // Multiples of the tile; odd ones, so that the lanes do not all lie in the same sets of the cache.
  constexpr std::size_t kMost = 15 * kTileSteps;
  constexpr std::size_t kLeast = 3 * kTileSteps;
  // Work behind a hit is lost, so lanes are short where hits are frequent: 1/8 of the distance to be expected.
  const std::uint64_t useful = mask / 8 / kAesLanes;
  std::size_t i = 0;
  if (useful >= kLeast) {
    const Filter512 filter(secret.round_keys, mask);
    while (size - i >= kAesLanes * kLeast) {
      std::size_t tiles = (size - i) / (kAesLanes * kTileSteps);
      if (tiles > useful / kTileSteps) tiles = static_cast<std::size_t>(useful / kTileSteps);
      tiles -= 1 - tiles % 2;
      const std::size_t length = tiles * kTileSteps < kMost ? tiles * kTileSteps : kMost;
      const std::size_t hit = find_in_lanes<Rolling>(secret, filter, data + i, length, mask);
      i += hit;
      if (hit < kAesLanes * length) return i;
    }
  }
  return i + aes_find_vaes(secret, data + i, size - i, mask);
}

}  // namespace
}  // namespace cairn::chunk::kernels
