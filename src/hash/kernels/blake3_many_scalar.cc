// The reference: BLAKE3's compression function as the specification writes it, one block after the other.
#include <bit>
#include <cstring>

#include "base/bytes.h"
#include "hash/kernels/blake3_many.h"

namespace cairn::hash {
namespace {

inline void mix(std::uint32_t v[16], int a, int b, int c, int d, std::uint32_t x, std::uint32_t y) {
  v[a] = v[a] + v[b] + x;
  v[d] = std::rotr(v[d] ^ v[a], 16);
  v[c] = v[c] + v[d];
  v[b] = std::rotr(v[b] ^ v[c], 12);
  v[a] = v[a] + v[b] + y;
  v[d] = std::rotr(v[d] ^ v[a], 8);
  v[c] = v[c] + v[d];
  v[b] = std::rotr(v[b] ^ v[c], 7);
}

void store_cv(const std::uint32_t cv[8], std::byte* out) {
  for (int i = 0; i < 8; ++i) store_le(out + 4 * i, cv[i]);
}

void chunk(const std::byte* input, std::size_t length, const std::uint32_t key[8], std::uint64_t counter,
           std::uint8_t flags, std::byte* out) {
  std::uint32_t cv[8];
  std::memcpy(cv, key, sizeof cv);
  std::uint8_t start = kBlake3ChunkStart;
  while (length > kBlake3BlockBytes) {
    blake3_compress_scalar(cv, input, kBlake3BlockBytes, counter, flags | start);
    input += kBlake3BlockBytes;
    length -= kBlake3BlockBytes;
    start = 0;
  }
  std::byte block[kBlake3BlockBytes] = {};
  std::memcpy(block, input, length);
  blake3_compress_scalar(cv, block, static_cast<std::uint32_t>(length), counter,
                         static_cast<std::uint8_t>(flags | start | kBlake3ChunkEnd));
  store_cv(cv, out);
}

}  // namespace

void blake3_compress_scalar(std::uint32_t cv[8], const std::byte* block, std::uint32_t length, std::uint64_t counter,
                            std::uint8_t flags) {
  std::uint32_t m[16];
  for (int i = 0; i < 16; ++i) m[i] = load_le<std::uint32_t>(block + 4 * i);
  std::uint32_t v[16] = {cv[0],
                         cv[1],
                         cv[2],
                         cv[3],
                         cv[4],
                         cv[5],
                         cv[6],
                         cv[7],
                         kBlake3Iv[0],
                         kBlake3Iv[1],
                         kBlake3Iv[2],
                         kBlake3Iv[3],
                         static_cast<std::uint32_t>(counter),
                         static_cast<std::uint32_t>(counter >> 32U),
                         length,
                         flags};
  for (const std::uint8_t(&s)[16] : kBlake3Schedule) {
    mix(v, 0, 4, 8, 12, m[s[0]], m[s[1]]);
    mix(v, 1, 5, 9, 13, m[s[2]], m[s[3]]);
    mix(v, 2, 6, 10, 14, m[s[4]], m[s[5]]);
    mix(v, 3, 7, 11, 15, m[s[6]], m[s[7]]);
    mix(v, 0, 5, 10, 15, m[s[8]], m[s[9]]);
    mix(v, 1, 6, 11, 12, m[s[10]], m[s[11]]);
    mix(v, 2, 7, 8, 13, m[s[12]], m[s[13]]);
    mix(v, 3, 4, 9, 14, m[s[14]], m[s[15]]);
  }
  for (int i = 0; i < 8; ++i) cv[i] = v[i] ^ v[i + 8];
}

void blake3_chunks_scalar(const std::byte* input, std::size_t length, const std::uint32_t key[8], std::uint64_t counter,
                          std::uint8_t flags, std::byte* out) {
  while (length > 0) {
    const std::size_t take = length < kBlake3ChunkBytes ? length : kBlake3ChunkBytes;
    chunk(input, take, key, counter++, flags, out);
    input += take;
    length -= take;
    out += kBlake3CvBytes;
  }
}

void blake3_parents_scalar(const std::byte* cvs, std::size_t count, const std::uint32_t key[8], std::uint8_t flags,
                           std::byte* out) {
  for (std::size_t i = 0; i < count; ++i) {
    std::uint32_t cv[8];
    std::memcpy(cv, key, sizeof cv);
    blake3_compress_scalar(cv, cvs + i * kBlake3BlockBytes, kBlake3BlockBytes, 0,
                           static_cast<std::uint8_t>(flags | kBlake3Parent));
    store_cv(cv, out + i * kBlake3CvBytes);
  }
}

}  // namespace cairn::hash
