// BLAKE3 with one chunk or parent node per vector lane, written once for all instruction sets.
//
// A set offers a type L, in its file's unnamed namespace so that nothing here is shared between files:
//   Word                     one 32-bit word of every lane;  L::kLanes lanes
//   add, exclusive_or, rotr16, rotr12, rotr8, rotr7, same(word), load(words)
//   load_blocks(in, offset, m)   m[w] = word w of the block at in[lane] + offset, for each lane
//   store_cvs(h, out)            h[w] of every lane, lane after lane
//   prefetch(in, offset)         optional: asks for the chunks that follow
#pragma once

#include <cstring>

#include "hash/kernels/blake3_many.h"

namespace cairn::hash {
namespace {

#define CAIRN_INLINE [[gnu::always_inline]] inline

CAIRN_INLINE std::size_t at_most(std::size_t a, std::size_t b) { return a < b ? a : b; }

// Four mixing functions side by side: a processor needs several chains to fill its units.
template <class L, class W = typename L::Word>
CAIRN_INLINE void mix_four(W& a0, W& a1, W& a2, W& a3, W& b0, W& b1, W& b2, W& b3, W& c0, W& c1, W& c2, W& c3, W& d0,
                           W& d1, W& d2, W& d3, const W& x0, const W& x1, const W& x2, const W& x3, const W& y0,
                           const W& y1, const W& y2, const W& y3) {
  a0 = L::add(a0, x0), a1 = L::add(a1, x1), a2 = L::add(a2, x2), a3 = L::add(a3, x3);
  a0 = L::add(a0, b0), a1 = L::add(a1, b1), a2 = L::add(a2, b2), a3 = L::add(a3, b3);
  d0 = L::exclusive_or(d0, a0), d1 = L::exclusive_or(d1, a1);
  d2 = L::exclusive_or(d2, a2), d3 = L::exclusive_or(d3, a3);
  d0 = L::rotr16(d0), d1 = L::rotr16(d1), d2 = L::rotr16(d2), d3 = L::rotr16(d3);
  c0 = L::add(c0, d0), c1 = L::add(c1, d1), c2 = L::add(c2, d2), c3 = L::add(c3, d3);
  b0 = L::exclusive_or(b0, c0), b1 = L::exclusive_or(b1, c1);
  b2 = L::exclusive_or(b2, c2), b3 = L::exclusive_or(b3, c3);
  b0 = L::rotr12(b0), b1 = L::rotr12(b1), b2 = L::rotr12(b2), b3 = L::rotr12(b3);
  a0 = L::add(a0, y0), a1 = L::add(a1, y1), a2 = L::add(a2, y2), a3 = L::add(a3, y3);
  a0 = L::add(a0, b0), a1 = L::add(a1, b1), a2 = L::add(a2, b2), a3 = L::add(a3, b3);
  d0 = L::exclusive_or(d0, a0), d1 = L::exclusive_or(d1, a1);
  d2 = L::exclusive_or(d2, a2), d3 = L::exclusive_or(d3, a3);
  d0 = L::rotr8(d0), d1 = L::rotr8(d1), d2 = L::rotr8(d2), d3 = L::rotr8(d3);
  c0 = L::add(c0, d0), c1 = L::add(c1, d1), c2 = L::add(c2, d2), c3 = L::add(c3, d3);
  b0 = L::exclusive_or(b0, c0), b1 = L::exclusive_or(b1, c1);
  b2 = L::exclusive_or(b2, c2), b3 = L::exclusive_or(b3, c3);
  b0 = L::rotr7(b0), b1 = L::rotr7(b1), b2 = L::rotr7(b2), b3 = L::rotr7(b3);
}

template <class L, int kRound, class W = typename L::Word>
CAIRN_INLINE void round(W* v, const W* m) {
  constexpr const std::uint8_t(&s)[16] = kBlake3Schedule[kRound];
  mix_four<L>(v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], v[9], v[10], v[11], v[12], v[13], v[14], v[15],
              m[s[0]], m[s[2]], m[s[4]], m[s[6]], m[s[1]], m[s[3]], m[s[5]], m[s[7]]);
  mix_four<L>(v[0], v[1], v[2], v[3], v[5], v[6], v[7], v[4], v[10], v[11], v[8], v[9], v[15], v[12], v[13], v[14],
              m[s[8]], m[s[10]], m[s[12]], m[s[14]], m[s[9]], m[s[11]], m[s[13]], m[s[15]]);
}

template <class L, class W = typename L::Word>
CAIRN_INLINE void compress_lanes(W* h, const W* m, W counter_low, W counter_high, W length, W flags) {
  W v[16] = {h[0],
             h[1],
             h[2],
             h[3],
             h[4],
             h[5],
             h[6],
             h[7],
             L::same(kBlake3Iv[0]),
             L::same(kBlake3Iv[1]),
             L::same(kBlake3Iv[2]),
             L::same(kBlake3Iv[3]),
             counter_low,
             counter_high,
             length,
             flags};
  round<L, 0>(v, m);
  round<L, 1>(v, m);
  round<L, 2>(v, m);
  round<L, 3>(v, m);
  round<L, 4>(v, m);
  round<L, 5>(v, m);
  round<L, 6>(v, m);
  h[0] = L::exclusive_or(v[0], v[8]);
  h[1] = L::exclusive_or(v[1], v[9]);
  h[2] = L::exclusive_or(v[2], v[10]);
  h[3] = L::exclusive_or(v[3], v[11]);
  h[4] = L::exclusive_or(v[4], v[12]);
  h[5] = L::exclusive_or(v[5], v[13]);
  h[6] = L::exclusive_or(v[6], v[14]);
  h[7] = L::exclusive_or(v[7], v[15]);
}

template <class L, class W = typename L::Word>
CAIRN_INLINE void start_lanes(W* h, const std::uint32_t* key) {
  h[0] = L::same(key[0]);
  h[1] = L::same(key[1]);
  h[2] = L::same(key[2]);
  h[3] = L::same(key[3]);
  h[4] = L::same(key[4]);
  h[5] = L::same(key[5]);
  h[6] = L::same(key[6]);
  h[7] = L::same(key[7]);
}

template <class L>
CAIRN_INLINE void store_some_cvs(const typename L::Word* h, std::size_t count, std::byte* out) {
  if (count == L::kLanes) {
    L::store_cvs(h, out);
    return;
  }
  std::byte all[L::kLanes * kBlake3CvBytes];
  L::store_cvs(h, all);
  std::memcpy(out, all, count * kBlake3CvBytes);
}

// Up to kLanes chunks; length > kBlake3ChunkBytes, so that lane 0 is a whole one for idle lanes to repeat. A short last
// chunk rides along: its lane is read out after its own last block. That makes a tail free, where hashing it by itself
// would cost as much as all the lanes.
template <class L>
void hash_chunks(const std::byte* input, std::size_t length, const std::uint32_t* key, std::uint64_t counter,
                 std::uint8_t flags, std::byte* out) {
  using W = typename L::Word;
  const std::size_t whole = length / kBlake3ChunkBytes;
  const std::size_t tail = length % kBlake3ChunkBytes;
  const std::size_t count = whole + (tail != 0 ? 1 : 0);

  const std::byte* in[L::kLanes];
  std::uint32_t low[L::kLanes];
  std::uint32_t high[L::kLanes];
  for (std::size_t lane = 0; lane < L::kLanes; ++lane) {
    in[lane] = input + (lane < whole ? lane * kBlake3ChunkBytes : 0);
    low[lane] = static_cast<std::uint32_t>(counter + lane);
    high[lane] = static_cast<std::uint32_t>((counter + lane) >> 32U);
  }
  std::byte padded[kBlake3ChunkBytes];
  std::size_t tail_block = kBlake3BlocksPerChunk;  // none
  if (tail != 0) {
    std::memcpy(padded, input + whole * kBlake3ChunkBytes, tail);
    std::memset(padded + tail, 0, kBlake3ChunkBytes - tail);
    in[whole] = padded;
    tail_block = (tail - 1) / kBlake3BlockBytes;
  }

  const W counter_low = L::load(low);
  const W counter_high = L::load(high);
  const W full = L::same(kBlake3BlockBytes);
  W h[8];
  start_lanes<L>(h, key);
  std::byte tail_cv[kBlake3CvBytes];
  std::uint32_t block_flags = flags | static_cast<std::uint32_t>(kBlake3ChunkStart);
  for (std::size_t block = 0; block < kBlake3BlocksPerChunk; ++block) {
    if (block == kBlake3BlocksPerChunk - 1) block_flags |= kBlake3ChunkEnd;
    W lengths = full;
    W all_flags = L::same(block_flags);
    if (block == tail_block) {
      std::uint32_t words[L::kLanes];
      for (std::uint32_t& word : words) word = kBlake3BlockBytes;
      words[whole] = static_cast<std::uint32_t>(tail - block * kBlake3BlockBytes);
      lengths = L::load(words);
      for (std::uint32_t& word : words) word = block_flags;
      words[whole] = block_flags | kBlake3ChunkEnd;
      all_flags = L::load(words);
    }
    W m[16];
    L::load_blocks(in, block * kBlake3BlockBytes, m);
    if constexpr (requires { L::prefetch(in, 0); }) L::prefetch(in, block * kBlake3BlockBytes);
    compress_lanes<L>(h, m, counter_low, counter_high, lengths, all_flags);
    if (block == tail_block) {
      std::byte all[L::kLanes * kBlake3CvBytes];
      L::store_cvs(h, all);
      std::memcpy(tail_cv, all + whole * kBlake3CvBytes, kBlake3CvBytes);
    }
    block_flags = flags;
  }
  store_some_cvs<L>(h, count, out);
  if (tail != 0) std::memcpy(out + whole * kBlake3CvBytes, tail_cv, kBlake3CvBytes);
}

// Up to kLanes parent nodes; count > 0.
template <class L>
void hash_parents(const std::byte* cvs, std::size_t count, const std::uint32_t* key, std::uint8_t flags,
                  std::byte* out) {
  using W = typename L::Word;
  const std::byte* in[L::kLanes];
  for (std::size_t lane = 0; lane < L::kLanes; ++lane) in[lane] = cvs + (lane < count ? lane * kBlake3BlockBytes : 0);
  W h[8];
  W m[16];
  start_lanes<L>(h, key);
  L::load_blocks(in, 0, m);
  compress_lanes<L>(h, m, L::same(0), L::same(0), L::same(kBlake3BlockBytes),
                    L::same(flags | static_cast<std::uint32_t>(kBlake3Parent)));
  store_some_cvs<L>(h, count, out);
}

using Compress = void (*)(std::uint32_t cv[8], const std::byte* block, std::uint32_t length, std::uint64_t counter,
                          std::uint8_t flags);

// One chunk by itself. 0 < length <= kBlake3ChunkBytes.
template <Compress compress>
void hash_one_chunk(const std::byte* input, std::size_t length, const std::uint32_t* key, std::uint64_t counter,
                    std::uint8_t flags, std::byte* out) {
  std::uint32_t cv[8];
  std::memcpy(cv, key, sizeof cv);
  std::uint8_t start = kBlake3ChunkStart;
  for (; length > kBlake3BlockBytes; length -= kBlake3BlockBytes, input += kBlake3BlockBytes) {
    compress(cv, input, kBlake3BlockBytes, counter, flags | start);
    start = 0;
  }
  std::byte block[kBlake3BlockBytes] = {};
  std::memcpy(block, input, length);
  compress(cv, block, static_cast<std::uint32_t>(length), counter,
           static_cast<std::uint8_t>(flags | start | kBlake3ChunkEnd));
  std::memcpy(out, cv, sizeof cv);
}

template <Compress compress>
void hash_one_parent(const std::byte* cvs, const std::uint32_t* key, std::uint8_t flags, std::byte* out) {
  std::uint32_t cv[8];
  std::memcpy(cv, key, sizeof cv);
  compress(cv, cvs, kBlake3BlockBytes, 0, static_cast<std::uint8_t>(flags | kBlake3Parent));
  std::memcpy(out, cv, sizeof cv);
}

}  // namespace
}  // namespace cairn::hash
