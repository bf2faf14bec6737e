// BLAKE3 with AVX2: eight chunks or parent nodes in the lanes. Single blocks and rests of up to four go to SSE4.1,
// which every CPU with AVX2 has.
#include <immintrin.h>

#include "hash/kernels/blake3_lanes.h"
#include "hash/kernels/blake3_many.h"

namespace cairn::hash {
namespace {

struct Eight {
  using Word = __m256i;
  static constexpr std::size_t kLanes = 8;

  CAIRN_INLINE static Word add(Word a, Word b) { return _mm256_add_epi32(a, b); }
  CAIRN_INLINE static Word exclusive_or(Word a, Word b) { return _mm256_xor_si256(a, b); }
  CAIRN_INLINE static Word rotr16(Word a) {
    return _mm256_shuffle_epi8(a, _mm256_set_epi8(13, 12, 15, 14, 9, 8, 11, 10, 5, 4, 7, 6, 1, 0, 3, 2, 13, 12, 15, 14,
                                                  9, 8, 11, 10, 5, 4, 7, 6, 1, 0, 3, 2));
  }
  CAIRN_INLINE static Word rotr12(Word a) {
    return _mm256_or_si256(_mm256_srli_epi32(a, 12), _mm256_slli_epi32(a, 20));
  }
  CAIRN_INLINE static Word rotr8(Word a) {
    return _mm256_shuffle_epi8(a, _mm256_set_epi8(12, 15, 14, 13, 8, 11, 10, 9, 4, 7, 6, 5, 0, 3, 2, 1, 12, 15, 14, 13,
                                                  8, 11, 10, 9, 4, 7, 6, 5, 0, 3, 2, 1));
  }
  CAIRN_INLINE static Word rotr7(Word a) { return _mm256_or_si256(_mm256_srli_epi32(a, 7), _mm256_slli_epi32(a, 25)); }
  CAIRN_INLINE static Word same(std::uint32_t word) { return _mm256_set1_epi32(static_cast<int>(word)); }
  CAIRN_INLINE static Word load(const void* from) { return _mm256_loadu_si256(static_cast<const __m256i*>(from)); }
  CAIRN_INLINE static void store(void* to, Word a) { _mm256_storeu_si256(static_cast<__m256i*>(to), a); }

  // 16 bytes from each of two places. Joining halves while loading spares the transposition a stage of shuffles.
  CAIRN_INLINE static Word load_halves(const std::byte* low, const std::byte* high) {
    return _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(low))),
                                   _mm_loadu_si128(reinterpret_cast<const __m128i*>(high)), 1);
  }
  // Rows to columns in each half, in place.
  CAIRN_INLINE static void transpose(Word& r0, Word& r1, Word& r2, Word& r3) {
    const Word low01 = _mm256_unpacklo_epi32(r0, r1);
    const Word high01 = _mm256_unpackhi_epi32(r0, r1);
    const Word low23 = _mm256_unpacklo_epi32(r2, r3);
    const Word high23 = _mm256_unpackhi_epi32(r2, r3);
    r0 = _mm256_unpacklo_epi64(low01, low23);
    r1 = _mm256_unpackhi_epi64(low01, low23);
    r2 = _mm256_unpacklo_epi64(high01, high23);
    r3 = _mm256_unpackhi_epi64(high01, high23);
  }
  CAIRN_INLINE static void load_blocks(const std::byte* const* in, std::size_t offset, Word* m) {
    load_quarter(in, offset, m);
    load_quarter(in, offset + 16, m + 4);
    load_quarter(in, offset + 32, m + 8);
    load_quarter(in, offset + 48, m + 12);
    __asm__ volatile("" : : "r"(m) : "memory");  // the state needs the registers more than the message does
  }
  CAIRN_INLINE static void load_quarter(const std::byte* const* in, std::size_t offset, Word* m) {
    m[0] = load_halves(in[0] + offset, in[4] + offset);
    m[1] = load_halves(in[1] + offset, in[5] + offset);
    m[2] = load_halves(in[2] + offset, in[6] + offset);
    m[3] = load_halves(in[3] + offset, in[7] + offset);
    transpose(m[0], m[1], m[2], m[3]);
  }
  CAIRN_INLINE static void store_cvs(const Word* h, std::byte* out) {
    Word a0 = h[0], a1 = h[1], a2 = h[2], a3 = h[3], b0 = h[4], b1 = h[5], b2 = h[6], b3 = h[7];
    transpose(a0, a1, a2, a3);
    transpose(b0, b1, b2, b3);
    store_pair(a0, b0, out);
    store_pair(a1, b1, out + 32);
    store_pair(a2, b2, out + 64);
    store_pair(a3, b3, out + 96);
  }
  // The chaining values of one lane of the lower half and its partner, four lanes on, in the upper half.
  CAIRN_INLINE static void store_pair(Word a, Word b, std::byte* out) {
    store(out, _mm256_permute2x128_si256(a, b, 0x20));
    store(out + 128, _mm256_permute2x128_si256(a, b, 0x31));
  }
};

}  // namespace

void blake3_chunks_avx2(const std::byte* input, std::size_t length, const std::uint32_t key[8], std::uint64_t counter,
                        std::uint8_t flags, std::byte* out) {
  while (length > 4 * kBlake3ChunkBytes) {
    const std::size_t take = at_most(length, Eight::kLanes * kBlake3ChunkBytes);
    hash_chunks<Eight>(input, take, key, counter, flags, out);
    input += take;
    length -= take;
    counter += Eight::kLanes;
    out += Eight::kLanes * kBlake3CvBytes;
  }
  if (length > 0) blake3_chunks_sse41(input, length, key, counter, flags, out);
}

void blake3_parents_avx2(const std::byte* cvs, std::size_t count, const std::uint32_t key[8], std::uint8_t flags,
                         std::byte* out) {
  while (count > 4) {
    const std::size_t take = at_most(count, Eight::kLanes);
    hash_parents<Eight>(cvs, take, key, flags, out);
    cvs += take * kBlake3BlockBytes;
    out += take * kBlake3CvBytes;
    count -= take;
  }
  if (count > 0) blake3_parents_sse41(cvs, count, key, flags, out);
}

}  // namespace cairn::hash
