// BLAKE3 with AVX-512: thirty-two, sixteen, eight or four chunks or parent nodes in the lanes; every width gains from
// the rotate instruction. Single blocks are left to the scalar version: by rows they are slower on Zen 5 (790 against
// 1000 MB/s), where a vector operation's result comes a cycle later than an integer one's.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"  // GCC 12 flags its own "undefined" operands in this header
#include <immintrin.h>
#pragma GCC diagnostic pop
#else
#include <immintrin.h>
#endif

#include "hash/kernels/blake3_lanes.h"
#include "hash/kernels/blake3_many.h"

namespace cairn::hash {
namespace {

struct Four {
  using Word = __m128i;
  static constexpr std::size_t kLanes = 4;

  CAIRN_INLINE static Word add(Word a, Word b) { return _mm_add_epi32(a, b); }
  CAIRN_INLINE static Word exclusive_or(Word a, Word b) { return _mm_xor_si128(a, b); }
  CAIRN_INLINE static Word rotr16(Word a) { return _mm_ror_epi32(a, 16); }
  CAIRN_INLINE static Word rotr12(Word a) { return _mm_ror_epi32(a, 12); }
  CAIRN_INLINE static Word rotr8(Word a) { return _mm_ror_epi32(a, 8); }
  CAIRN_INLINE static Word rotr7(Word a) { return _mm_ror_epi32(a, 7); }
  CAIRN_INLINE static Word same(std::uint32_t word) { return _mm_set1_epi32(static_cast<int>(word)); }
  CAIRN_INLINE static Word load(const void* from) { return _mm_loadu_si128(static_cast<const __m128i*>(from)); }
  CAIRN_INLINE static void store(void* to, Word a) { _mm_storeu_si128(static_cast<__m128i*>(to), a); }
  CAIRN_INLINE static Word low32(Word a, Word b) { return _mm_unpacklo_epi32(a, b); }
  CAIRN_INLINE static Word high32(Word a, Word b) { return _mm_unpackhi_epi32(a, b); }
  CAIRN_INLINE static Word low64(Word a, Word b) { return _mm_unpacklo_epi64(a, b); }
  CAIRN_INLINE static Word high64(Word a, Word b) { return _mm_unpackhi_epi64(a, b); }
  // 16 bytes of every fourth lane from `lane` on.
  CAIRN_INLINE static Word gather(const std::byte* const* in, std::size_t lane, std::size_t offset) {
    return load(in[lane] + offset);
  }
  // Lane `lane` of a quarter of lanes each, first halves in a, second halves in b.
  CAIRN_INLINE static void scatter(Word a, Word b, std::size_t lane, std::byte* out) {
    store(out + lane * kBlake3CvBytes, a);
    store(out + lane * kBlake3CvBytes + 16, b);
  }
  CAIRN_INLINE static void load_blocks(const std::byte* const* in, std::size_t offset, Word* m);
  CAIRN_INLINE static void store_cvs(const Word* h, std::byte* out);
};

struct Eight {
  using Word = __m256i;
  static constexpr std::size_t kLanes = 8;

  CAIRN_INLINE static Word add(Word a, Word b) { return _mm256_add_epi32(a, b); }
  CAIRN_INLINE static Word exclusive_or(Word a, Word b) { return _mm256_xor_si256(a, b); }
  CAIRN_INLINE static Word rotr16(Word a) { return _mm256_ror_epi32(a, 16); }
  CAIRN_INLINE static Word rotr12(Word a) { return _mm256_ror_epi32(a, 12); }
  CAIRN_INLINE static Word rotr8(Word a) { return _mm256_ror_epi32(a, 8); }
  CAIRN_INLINE static Word rotr7(Word a) { return _mm256_ror_epi32(a, 7); }
  CAIRN_INLINE static Word same(std::uint32_t word) { return _mm256_set1_epi32(static_cast<int>(word)); }
  CAIRN_INLINE static Word load(const void* from) { return _mm256_loadu_si256(static_cast<const __m256i*>(from)); }
  CAIRN_INLINE static Word low32(Word a, Word b) { return _mm256_unpacklo_epi32(a, b); }
  CAIRN_INLINE static Word high32(Word a, Word b) { return _mm256_unpackhi_epi32(a, b); }
  CAIRN_INLINE static Word low64(Word a, Word b) { return _mm256_unpacklo_epi64(a, b); }
  CAIRN_INLINE static Word high64(Word a, Word b) { return _mm256_unpackhi_epi64(a, b); }
  CAIRN_INLINE static Word gather(const std::byte* const* in, std::size_t lane, std::size_t offset) {
    return _mm256_inserti32x4(_mm256_castsi128_si256(Four::load(in[lane] + offset)), Four::load(in[lane + 4] + offset),
                              1);
  }
  CAIRN_INLINE static void scatter(Word a, Word b, std::size_t lane, std::byte* out) {
    Four::scatter(_mm256_castsi256_si128(a), _mm256_castsi256_si128(b), lane, out);
    Four::scatter(_mm256_extracti32x4_epi32(a, 1), _mm256_extracti32x4_epi32(b, 1), lane + 4, out);
  }
  CAIRN_INLINE static void load_blocks(const std::byte* const* in, std::size_t offset, Word* m);
  CAIRN_INLINE static void store_cvs(const Word* h, std::byte* out);
};

struct Sixteen {
  using Word = __m512i;
  static constexpr std::size_t kLanes = 16;

  CAIRN_INLINE static Word add(Word a, Word b) { return _mm512_add_epi32(a, b); }
  CAIRN_INLINE static Word exclusive_or(Word a, Word b) { return _mm512_xor_si512(a, b); }
  CAIRN_INLINE static Word rotr16(Word a) { return _mm512_ror_epi32(a, 16); }
  CAIRN_INLINE static Word rotr12(Word a) { return _mm512_ror_epi32(a, 12); }
  CAIRN_INLINE static Word rotr8(Word a) { return _mm512_ror_epi32(a, 8); }
  CAIRN_INLINE static Word rotr7(Word a) { return _mm512_ror_epi32(a, 7); }
  CAIRN_INLINE static Word same(std::uint32_t word) { return _mm512_set1_epi32(static_cast<int>(word)); }
  CAIRN_INLINE static Word load(const void* from) { return _mm512_loadu_si512(from); }
  CAIRN_INLINE static Word low32(Word a, Word b) { return _mm512_unpacklo_epi32(a, b); }
  CAIRN_INLINE static Word high32(Word a, Word b) { return _mm512_unpackhi_epi32(a, b); }
  CAIRN_INLINE static Word low64(Word a, Word b) { return _mm512_unpacklo_epi64(a, b); }
  CAIRN_INLINE static Word high64(Word a, Word b) { return _mm512_unpackhi_epi64(a, b); }
  CAIRN_INLINE static Word gather(const std::byte* const* in, std::size_t lane, std::size_t offset) {
    Word row = _mm512_castsi128_si512(Four::load(in[lane] + offset));
    row = _mm512_inserti32x4(row, Four::load(in[lane + 4] + offset), 1);
    row = _mm512_inserti32x4(row, Four::load(in[lane + 8] + offset), 2);
    return _mm512_inserti32x4(row, Four::load(in[lane + 12] + offset), 3);
  }
  CAIRN_INLINE static void scatter(Word a, Word b, std::size_t lane, std::byte* out) {
    Eight::scatter(_mm512_castsi512_si256(a), _mm512_castsi512_si256(b), lane, out);
    Eight::scatter(_mm512_extracti64x4_epi64(a, 1), _mm512_extracti64x4_epi64(b, 1), lane + 8, out);
  }
  CAIRN_INLINE static void load_blocks(const std::byte* const* in, std::size_t offset, Word* m);
  CAIRN_INLINE static void store_cvs(const Word* h, std::byte* out);
};

// Rows to columns in every quarter, in place.
template <class L, class W = typename L::Word>
CAIRN_INLINE void transpose(W& r0, W& r1, W& r2, W& r3) {
  const W low01 = L::low32(r0, r1);
  const W high01 = L::high32(r0, r1);
  const W low23 = L::low32(r2, r3);
  const W high23 = L::high32(r2, r3);
  r0 = L::low64(low01, low23);
  r1 = L::high64(low01, low23);
  r2 = L::low64(high01, high23);
  r3 = L::high64(high01, high23);
}

// Joining quarters while loading leaves two stages of shuffles instead of four.
template <class L, class W = typename L::Word>
CAIRN_INLINE void load_quarter(const std::byte* const* in, std::size_t offset, W* m) {
  m[0] = L::gather(in, 0, offset);
  m[1] = L::gather(in, 1, offset);
  m[2] = L::gather(in, 2, offset);
  m[3] = L::gather(in, 3, offset);
  transpose<L>(m[0], m[1], m[2], m[3]);
}

template <class L, class W = typename L::Word>
CAIRN_INLINE void load_all(const std::byte* const* in, std::size_t offset, W* m) {
  load_quarter<L>(in, offset, m);
  load_quarter<L>(in, offset + 16, m + 4);
  load_quarter<L>(in, offset + 32, m + 8);
  load_quarter<L>(in, offset + 48, m + 12);
}

template <class L, class W = typename L::Word>
CAIRN_INLINE void store_all(const W* h, std::byte* out) {
  W a0 = h[0], a1 = h[1], a2 = h[2], a3 = h[3], b0 = h[4], b1 = h[5], b2 = h[6], b3 = h[7];
  transpose<L>(a0, a1, a2, a3);
  transpose<L>(b0, b1, b2, b3);
  L::scatter(a0, b0, 0, out);
  L::scatter(a1, b1, 1, out);
  L::scatter(a2, b2, 2, out);
  L::scatter(a3, b3, 3, out);
}

void Four::load_blocks(const std::byte* const* in, std::size_t offset, Word* m) { load_all<Four>(in, offset, m); }
void Four::store_cvs(const Word* h, std::byte* out) { store_all<Four>(h, out); }
void Eight::load_blocks(const std::byte* const* in, std::size_t offset, Word* m) { load_all<Eight>(in, offset, m); }
void Eight::store_cvs(const Word* h, std::byte* out) { store_all<Eight>(h, out); }
void Sixteen::load_blocks(const std::byte* const* in, std::size_t offset, Word* m) { load_all<Sixteen>(in, offset, m); }
void Sixteen::store_cvs(const Word* h, std::byte* out) { store_all<Sixteen>(h, out); }

// Two vectors a word. One vector's four chains leave the units of a wide processor waiting for each other's results: on
// Zen 5 two give 13.2 GB/s where one gives 10.1 (GCC 12, November 2026). The message stays in memory, so that the state
// fills the registers.
struct ThirtyTwo {
  using Half = Sixteen;
  struct Word {
    Half::Word p, q;
  };
  static constexpr std::size_t kLanes = 2 * Half::kLanes;

  CAIRN_INLINE static Word add(Word a, Word b) { return {Half::add(a.p, b.p), Half::add(a.q, b.q)}; }
  CAIRN_INLINE static Word exclusive_or(Word a, Word b) {
    return {Half::exclusive_or(a.p, b.p), Half::exclusive_or(a.q, b.q)};
  }
  CAIRN_INLINE static Word rotr16(Word a) { return {Half::rotr16(a.p), Half::rotr16(a.q)}; }
  CAIRN_INLINE static Word rotr12(Word a) { return {Half::rotr12(a.p), Half::rotr12(a.q)}; }
  CAIRN_INLINE static Word rotr8(Word a) { return {Half::rotr8(a.p), Half::rotr8(a.q)}; }
  CAIRN_INLINE static Word rotr7(Word a) { return {Half::rotr7(a.p), Half::rotr7(a.q)}; }
  CAIRN_INLINE static Word same(std::uint32_t word) { return {Half::same(word), Half::same(word)}; }
  CAIRN_INLINE static Word load(const std::uint32_t* from) {
    return {Half::load(from), Half::load(from + Half::kLanes)};
  }
  CAIRN_INLINE static void load_blocks(const std::byte* const* in, std::size_t offset, Word* m) {
    Half::Word half[16];
    Half::load_blocks(in, offset, half);
    for (int i = 0; i < 16; ++i) m[i].p = half[i];
    Half::load_blocks(in + Half::kLanes, offset, half);
    for (int i = 0; i < 16; ++i) m[i].q = half[i];
    __asm__ volatile("" : : "r"(m) : "memory");  // keeps m out of the registers
  }
  CAIRN_INLINE static void store_cvs(const Word* h, std::byte* out) {
    Half::Word half[8];
    for (int i = 0; i < 8; ++i) half[i] = h[i].p;
    Half::store_cvs(half, out);
    for (int i = 0; i < 8; ++i) half[i] = h[i].q;
    Half::store_cvs(half, out + Half::kLanes * kBlake3CvBytes);
  }
  // So many streams are more than the processor's own prefetching follows. Callers walk through large inputs group by
  // group; for the last group this asks for what nobody needs, which is harmless.
  CAIRN_INLINE static void prefetch(const std::byte* const* in, std::size_t offset) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const auto address = reinterpret_cast<std::uintptr_t>(in[lane]) + offset + kLanes * kBlake3ChunkBytes;
      _mm_prefetch(reinterpret_cast<const char*>(address), _MM_HINT_T1);
    }
  }
};

}  // namespace

void blake3_chunks_avx512(const std::byte* input, std::size_t length, const std::uint32_t key[8], std::uint64_t counter,
                          std::uint8_t flags, std::byte* out) {
  while (length > 16 * kBlake3ChunkBytes) {
    const std::size_t take = at_most(length, ThirtyTwo::kLanes * kBlake3ChunkBytes);
    hash_chunks<ThirtyTwo>(input, take, key, counter, flags, out);
    input += take;
    length -= take;
    counter += ThirtyTwo::kLanes;
    out += ThirtyTwo::kLanes * kBlake3CvBytes;
  }
  if (length > 8 * kBlake3ChunkBytes) {
    hash_chunks<Sixteen>(input, length, key, counter, flags, out);
  } else if (length > 4 * kBlake3ChunkBytes) {
    hash_chunks<Eight>(input, length, key, counter, flags, out);
  } else if (length > kBlake3ChunkBytes) {
    hash_chunks<Four>(input, length, key, counter, flags, out);
  } else if (length > 0) {
    hash_one_chunk<blake3_compress_scalar>(input, length, key, counter, flags, out);
  }
}

void blake3_parents_avx512(const std::byte* cvs, std::size_t count, const std::uint32_t key[8], std::uint8_t flags,
                           std::byte* out) {
  while (count > 16) {
    const std::size_t take = at_most(count, ThirtyTwo::kLanes);
    hash_parents<ThirtyTwo>(cvs, take, key, flags, out);
    cvs += take * kBlake3BlockBytes;
    out += take * kBlake3CvBytes;
    count -= take;
  }
  if (count > 8) {
    hash_parents<Sixteen>(cvs, count, key, flags, out);
  } else if (count > 4) {
    hash_parents<Eight>(cvs, count, key, flags, out);
  } else if (count > 1) {
    hash_parents<Four>(cvs, count, key, flags, out);
  } else if (count > 0) {
    hash_one_parent<blake3_compress_scalar>(cvs, key, flags, out);
  }
}

}  // namespace cairn::hash
