// The compression function of BLAKE3, over one block and over many chunks or parent nodes side by side.
//
// Every version gives the bytes of the scalar one. This header is included by files built for wider instruction sets:
// declarations and constants only.
// Source: the BLAKE3 specification, sections 2.1 to 2.5.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace cairn::hash {

constexpr std::size_t kBlake3BlockBytes = 64;
constexpr std::size_t kBlake3ChunkBytes = 1024;
constexpr std::size_t kBlake3CvBytes = 32;
constexpr std::size_t kBlake3BlocksPerChunk = kBlake3ChunkBytes / kBlake3BlockBytes;

// Domain flags.
constexpr std::uint8_t kBlake3ChunkStart = 1U << 0U;
constexpr std::uint8_t kBlake3ChunkEnd = 1U << 1U;
constexpr std::uint8_t kBlake3Parent = 1U << 2U;
constexpr std::uint8_t kBlake3Root = 1U << 3U;
constexpr std::uint8_t kBlake3Keyed = 1U << 4U;

constexpr std::uint32_t kBlake3Iv[8] = {0x6a09e667U, 0xbb67ae85U, 0x3c6ef372U, 0xa54ff53aU,
                                        0x510e527fU, 0x9b05688cU, 0x1f83d9abU, 0x5be0cd19U};

// Which message word each of a round's sixteen places takes: the specification's permutation applied 0 to 6 times.
constexpr std::uint8_t kBlake3Schedule[7][16] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8},
    {3, 4, 10, 12, 13, 2, 7, 14, 6, 5, 9, 0, 11, 15, 8, 1}, {10, 7, 12, 9, 14, 3, 13, 15, 4, 0, 11, 2, 5, 8, 1, 6},
    {12, 13, 9, 11, 15, 10, 14, 8, 7, 2, 5, 3, 0, 1, 6, 4}, {9, 14, 11, 5, 8, 12, 15, 1, 13, 3, 0, 10, 2, 6, 4, 7},
    {11, 15, 5, 0, 1, 9, 8, 6, 14, 10, 2, 12, 3, 4, 7, 13}};

// Chaining values travel as 32 bytes, little-endian words. No pointer needs an alignment.
struct Blake3Many {
  const char* name;  // as in CAIRN_KERNELS=blake3_many=avx2
  std::uint32_t needs;
  // Replaces `cv` by the compression of `block` (64 readable bytes, of which `length` count; the others are zero).
  void (*compress)(std::uint32_t cv[8], const std::byte* block, std::uint32_t length, std::uint64_t counter,
                   std::uint8_t flags);
  // The chaining values of all chunks of `input`, numbered from `counter`; the last chunk may be short. length > 0.
  void (*chunks)(const std::byte* input, std::size_t length, const std::uint32_t key[8], std::uint64_t counter,
                 std::uint8_t flags, std::byte* out);
  // Joins pairs: `count` parents of 2 * count chaining values. `out` may be `cvs`. `flags` without kBlake3Parent.
  void (*parents)(const std::byte* cvs, std::size_t count, const std::uint32_t key[8], std::uint8_t flags,
                  std::byte* out);
};

std::span<const Blake3Many> blake3_manys();  // every version of this build, preferred first

// Declared everywhere, defined where the build has the instruction set.
void blake3_compress_scalar(std::uint32_t cv[8], const std::byte* block, std::uint32_t length, std::uint64_t counter,
                            std::uint8_t flags);
void blake3_compress_sse41(std::uint32_t cv[8], const std::byte* block, std::uint32_t length, std::uint64_t counter,
                           std::uint8_t flags);
#define CAIRN_BLAKE3_MANY(set)                                                                                       \
  void blake3_chunks_##set(const std::byte* input, std::size_t length, const std::uint32_t key[8],                   \
                           std::uint64_t counter, std::uint8_t flags, std::byte* out);                               \
  void blake3_parents_##set(const std::byte* cvs, std::size_t count, const std::uint32_t key[8], std::uint8_t flags, \
                            std::byte* out)
CAIRN_BLAKE3_MANY(scalar);
CAIRN_BLAKE3_MANY(sse41);
CAIRN_BLAKE3_MANY(avx2);
CAIRN_BLAKE3_MANY(avx512);
CAIRN_BLAKE3_MANY(neon);
#undef CAIRN_BLAKE3_MANY

}  // namespace cairn::hash
