// BLAKE3 with SSE4.1: one block with the state's rows as vectors, and four chunks or parent nodes in the lanes.
#include <immintrin.h>

#include "hash/kernels/blake3_lanes.h"
#include "hash/kernels/blake3_many.h"

namespace cairn::hash {
namespace {

struct Four {
  using Word = __m128i;
  static constexpr std::size_t kLanes = 4;

  CAIRN_INLINE static Word add(Word a, Word b) { return _mm_add_epi32(a, b); }
  CAIRN_INLINE static Word exclusive_or(Word a, Word b) { return _mm_xor_si128(a, b); }
  CAIRN_INLINE static Word rotr16(Word a) {
    return _mm_shuffle_epi8(a, _mm_set_epi8(13, 12, 15, 14, 9, 8, 11, 10, 5, 4, 7, 6, 1, 0, 3, 2));
  }
  CAIRN_INLINE static Word rotr12(Word a) { return _mm_or_si128(_mm_srli_epi32(a, 12), _mm_slli_epi32(a, 20)); }
  CAIRN_INLINE static Word rotr8(Word a) {
    return _mm_shuffle_epi8(a, _mm_set_epi8(12, 15, 14, 13, 8, 11, 10, 9, 4, 7, 6, 5, 0, 3, 2, 1));
  }
  CAIRN_INLINE static Word rotr7(Word a) { return _mm_or_si128(_mm_srli_epi32(a, 7), _mm_slli_epi32(a, 25)); }
  CAIRN_INLINE static Word same(std::uint32_t word) { return _mm_set1_epi32(static_cast<int>(word)); }
  CAIRN_INLINE static Word load(const void* from) { return _mm_loadu_si128(static_cast<const __m128i*>(from)); }
  CAIRN_INLINE static void store(void* to, Word a) { _mm_storeu_si128(static_cast<__m128i*>(to), a); }

  template <int n>
  CAIRN_INLINE static Word turn(Word a) {
    return _mm_shuffle_epi32(a, (n % 4) | (n + 1) % 4 << 2 | (n + 2) % 4 << 4 | (n + 3) % 4 << 6);
  }

  // Rows to columns, in place.
  CAIRN_INLINE static void transpose(Word& r0, Word& r1, Word& r2, Word& r3) {
    const Word low01 = _mm_unpacklo_epi32(r0, r1);
    const Word high01 = _mm_unpackhi_epi32(r0, r1);
    const Word low23 = _mm_unpacklo_epi32(r2, r3);
    const Word high23 = _mm_unpackhi_epi32(r2, r3);
    r0 = _mm_unpacklo_epi64(low01, low23);
    r1 = _mm_unpackhi_epi64(low01, low23);
    r2 = _mm_unpacklo_epi64(high01, high23);
    r3 = _mm_unpackhi_epi64(high01, high23);
  }
  CAIRN_INLINE static void load_blocks(const std::byte* const* in, std::size_t offset, Word* m) {
    load_quarter(in, offset, m);
    load_quarter(in, offset + 16, m + 4);
    load_quarter(in, offset + 32, m + 8);
    load_quarter(in, offset + 48, m + 12);
    __asm__ volatile("" : : "r"(m) : "memory");  // the state needs the registers more than the message does
  }
  CAIRN_INLINE static void load_quarter(const std::byte* const* in, std::size_t offset, Word* m) {
    m[0] = load(in[0] + offset);
    m[1] = load(in[1] + offset);
    m[2] = load(in[2] + offset);
    m[3] = load(in[3] + offset);
    transpose(m[0], m[1], m[2], m[3]);
  }
  CAIRN_INLINE static void store_cvs(const Word* h, std::byte* out) {
    Word a0 = h[0], a1 = h[1], a2 = h[2], a3 = h[3], b0 = h[4], b1 = h[5], b2 = h[6], b3 = h[7];
    transpose(a0, a1, a2, a3);
    transpose(b0, b1, b2, b3);
    store(out, a0), store(out + 16, b0);
    store(out + 32, a1), store(out + 48, b1);
    store(out + 64, a2), store(out + 80, b2);
    store(out + 96, a3), store(out + 112, b3);
  }
};

template <int k0, int k1, int k2, int k3>
CAIRN_INLINE __m128i pick(__m128i a) {
  return _mm_shuffle_epi32(a, k0 | k1 << 2 | k2 << 4 | k3 << 6);
}
// Two words of `a`, then two of `b`.
template <int k0, int k1, int k2, int k3>
CAIRN_INLINE __m128i pick(__m128i a, __m128i b) {
  return _mm_castps_si128(_mm_shuffle_ps(_mm_castsi128_ps(a), _mm_castsi128_ps(b), k0 | k1 << 2 | k2 << 4 | k3 << 6));
}

// The message words that the four columns (x, y) and the four diagonals (u, v) of one round take; the next round's are
// a fixed permutation of them. u and v are turned by three places, because the diagonal step turns rows a, c and d and
// leaves b, which is ready last, where it is.
class Message {
 public:
  CAIRN_INLINE static Message load(const std::byte* block) {
    const __m128i m0 = Four::load(block);
    const __m128i m1 = Four::load(block + 16);
    const __m128i m2 = Four::load(block + 32);
    const __m128i m3 = Four::load(block + 48);
    Message message;
    message.x_ = pick<0, 2, 0, 2>(m0, m1);
    message.y_ = pick<1, 3, 1, 3>(m0, m1);
    message.u_ = pick<3, 0, 1, 2>(pick<0, 2, 0, 2>(m2, m3));
    message.v_ = pick<3, 0, 1, 2>(pick<1, 3, 1, 3>(m2, m3));
    return message;
  }

  template <int kRound>
  CAIRN_INLINE void take(__m128i& x, __m128i& y, __m128i& u, __m128i& v) {
    if constexpr (kRound > 0) permute();
    x = x_, y = y_, u = u_, v = v_;
  }

 private:
  CAIRN_INLINE void permute() {
    const __m128i x = pick<0, 2, 3, 1>(pick<1, 2, 1, 3>(x_, y_));
    const __m128i y = pick<0, 2, 1, 3>(pick<3, 0, 2, 3>(x_, _mm_blend_epi16(u_, v_, 0xc0)));
    const __m128i u = pick<0, 2, 3, 1>(pick<0, 1, 0, 3>(v_, _mm_blend_epi16(y_, u_, 0xc0)));
    const __m128i v = pick<0, 2, 3, 1>(pick<1, 0, 0, 2>(u_, pick<2, 2, 2, 2>(v_, y_)));
    x_ = x, y_ = y, u_ = u, v_ = v;
  }

  __m128i x_, y_, u_, v_;
};

CAIRN_INLINE void half_round(__m128i& a, __m128i& b, __m128i& c, __m128i& d, __m128i first, __m128i second) {
  a = Four::add(Four::add(a, first), b);
  d = Four::rotr16(Four::exclusive_or(d, a));
  c = Four::add(c, d);
  b = Four::rotr12(Four::exclusive_or(b, c));
  a = Four::add(Four::add(a, second), b);
  d = Four::rotr8(Four::exclusive_or(d, a));
  c = Four::add(c, d);
  b = Four::rotr7(Four::exclusive_or(b, c));
}

template <int kRound>
CAIRN_INLINE void row_round(__m128i& a, __m128i& b, __m128i& c, __m128i& d, Message& message) {
  __m128i x, y, u, v;
  message.take<kRound>(x, y, u, v);
  half_round(a, b, c, d, x, y);
  a = Four::turn<3>(a);
  c = Four::turn<1>(c);
  d = Four::turn<2>(d);
  half_round(a, b, c, d, u, v);
  a = Four::turn<1>(a);
  c = Four::turn<3>(c);
  d = Four::turn<2>(d);
}

CAIRN_INLINE void compress_row(std::uint32_t* cv, const std::byte* block, std::uint32_t length, std::uint64_t counter,
                               std::uint8_t flags) {
  const std::uint32_t last_row[4] = {static_cast<std::uint32_t>(counter), static_cast<std::uint32_t>(counter >> 32U),
                                     length, flags};
  __m128i a = Four::load(cv);
  __m128i b = Four::load(cv + 4);
  __m128i c = Four::load(kBlake3Iv);
  __m128i d = Four::load(last_row);
  Message message = Message::load(block);
  row_round<0>(a, b, c, d, message);
  row_round<1>(a, b, c, d, message);
  row_round<2>(a, b, c, d, message);
  row_round<3>(a, b, c, d, message);
  row_round<4>(a, b, c, d, message);
  row_round<5>(a, b, c, d, message);
  row_round<6>(a, b, c, d, message);
  Four::store(cv, Four::exclusive_or(a, c));
  Four::store(cv + 4, Four::exclusive_or(b, d));
}

}  // namespace

void blake3_compress_sse41(std::uint32_t cv[8], const std::byte* block, std::uint32_t length, std::uint64_t counter,
                           std::uint8_t flags) {
  compress_row(cv, block, length, counter, flags);
}

void blake3_chunks_sse41(const std::byte* input, std::size_t length, const std::uint32_t key[8], std::uint64_t counter,
                         std::uint8_t flags, std::byte* out) {
  while (length > kBlake3ChunkBytes) {
    const std::size_t take = at_most(length, Four::kLanes * kBlake3ChunkBytes);
    hash_chunks<Four>(input, take, key, counter, flags, out);
    input += take;
    length -= take;
    counter += Four::kLanes;
    out += Four::kLanes * kBlake3CvBytes;
  }
  if (length > 0) hash_one_chunk<blake3_compress_sse41>(input, length, key, counter, flags, out);
}

void blake3_parents_sse41(const std::byte* cvs, std::size_t count, const std::uint32_t key[8], std::uint8_t flags,
                          std::byte* out) {
  while (count > 1) {
    const std::size_t take = at_most(count, Four::kLanes);
    hash_parents<Four>(cvs, take, key, flags, out);
    cvs += take * kBlake3BlockBytes;
    out += take * kBlake3CvBytes;
    count -= take;
  }
  if (count > 0) hash_one_parent<blake3_compress_sse41>(cvs, key, flags, out);
}

}  // namespace cairn::hash
