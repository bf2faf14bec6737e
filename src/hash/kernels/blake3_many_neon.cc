// BLAKE3 with NEON: four chunks or parent nodes in the lanes. Single blocks are left to the scalar version.
#include <arm_neon.h>

#include "hash/kernels/blake3_lanes.h"
#include "hash/kernels/blake3_many.h"

namespace cairn::hash {
namespace {

struct Four {
  using Word = uint32x4_t;
  static constexpr std::size_t kLanes = 4;

  CAIRN_INLINE static Word add(Word a, Word b) { return vaddq_u32(a, b); }
  CAIRN_INLINE static Word exclusive_or(Word a, Word b) { return veorq_u32(a, b); }
  CAIRN_INLINE static Word rotr16(Word a) { return vreinterpretq_u32_u16(vrev32q_u16(vreinterpretq_u16_u32(a))); }
  // Shift right, then insert the bits that fell out at the top.
  CAIRN_INLINE static Word rotr12(Word a) { return vsliq_n_u32(vshrq_n_u32(a, 12), a, 20); }
  CAIRN_INLINE static Word rotr8(Word a) { return vsliq_n_u32(vshrq_n_u32(a, 8), a, 24); }
  CAIRN_INLINE static Word rotr7(Word a) { return vsliq_n_u32(vshrq_n_u32(a, 7), a, 25); }
  CAIRN_INLINE static Word same(std::uint32_t word) { return vdupq_n_u32(word); }
  CAIRN_INLINE static Word load(const std::uint32_t* from) { return vld1q_u32(from); }
  CAIRN_INLINE static Word load_row(const std::byte* from) {
    return vreinterpretq_u32_u8(vld1q_u8(reinterpret_cast<const std::uint8_t*>(from)));
  }
  CAIRN_INLINE static void store_row(std::byte* to, Word a) {
    vst1q_u8(reinterpret_cast<std::uint8_t*>(to), vreinterpretq_u8_u32(a));
  }

  // Rows to columns, in place.
  CAIRN_INLINE static void transpose(Word& r0, Word& r1, Word& r2, Word& r3) {
    const uint64x2_t even01 = vreinterpretq_u64_u32(vtrn1q_u32(r0, r1));
    const uint64x2_t odd01 = vreinterpretq_u64_u32(vtrn2q_u32(r0, r1));
    const uint64x2_t even23 = vreinterpretq_u64_u32(vtrn1q_u32(r2, r3));
    const uint64x2_t odd23 = vreinterpretq_u64_u32(vtrn2q_u32(r2, r3));
    r0 = vreinterpretq_u32_u64(vtrn1q_u64(even01, even23));
    r1 = vreinterpretq_u32_u64(vtrn1q_u64(odd01, odd23));
    r2 = vreinterpretq_u32_u64(vtrn2q_u64(even01, even23));
    r3 = vreinterpretq_u32_u64(vtrn2q_u64(odd01, odd23));
  }
  CAIRN_INLINE static void load_blocks(const std::byte* const* in, std::size_t offset, Word* m) {
    load_quarter(in, offset, m);
    load_quarter(in, offset + 16, m + 4);
    load_quarter(in, offset + 32, m + 8);
    load_quarter(in, offset + 48, m + 12);
  }
  CAIRN_INLINE static void load_quarter(const std::byte* const* in, std::size_t offset, Word* m) {
    m[0] = load_row(in[0] + offset);
    m[1] = load_row(in[1] + offset);
    m[2] = load_row(in[2] + offset);
    m[3] = load_row(in[3] + offset);
    transpose(m[0], m[1], m[2], m[3]);
  }
  CAIRN_INLINE static void store_cvs(const Word* h, std::byte* out) {
    Word a0 = h[0], a1 = h[1], a2 = h[2], a3 = h[3], b0 = h[4], b1 = h[5], b2 = h[6], b3 = h[7];
    transpose(a0, a1, a2, a3);
    transpose(b0, b1, b2, b3);
    store_row(out, a0), store_row(out + 16, b0);
    store_row(out + 32, a1), store_row(out + 48, b1);
    store_row(out + 64, a2), store_row(out + 80, b2);
    store_row(out + 96, a3), store_row(out + 112, b3);
  }
};

}  // namespace

void blake3_chunks_neon(const std::byte* input, std::size_t length, const std::uint32_t key[8], std::uint64_t counter,
                        std::uint8_t flags, std::byte* out) {
  while (length > kBlake3ChunkBytes) {
    const std::size_t take = at_most(length, Four::kLanes * kBlake3ChunkBytes);
    hash_chunks<Four>(input, take, key, counter, flags, out);
    input += take;
    length -= take;
    counter += Four::kLanes;
    out += Four::kLanes * kBlake3CvBytes;
  }
  if (length > 0) hash_one_chunk<blake3_compress_scalar>(input, length, key, counter, flags, out);
}

void blake3_parents_neon(const std::byte* cvs, std::size_t count, const std::uint32_t key[8], std::uint8_t flags,
                         std::byte* out) {
  while (count > 1) {
    const std::size_t take = at_most(count, Four::kLanes);
    hash_parents<Four>(cvs, take, key, flags, out);
    cvs += take * kBlake3BlockBytes;
    out += take * kBlake3CvBytes;
    count -= take;
  }
  if (count > 0) hash_one_parent<blake3_compress_scalar>(cvs, key, flags, out);
}

}  // namespace cairn::hash
