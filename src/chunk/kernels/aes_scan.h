// The AES chunkers: where is the next position whose digest, encrypted, has zeros under a mask?
//
//   digest of a position = keyed rolling hash of the 64 bytes that end there (three kinds, below)
//   (AES-128(key, digest || 8 zero bytes) & mask) == 0     is a hit; little-endian, the mask takes low bits
//
// A hit depends on those 64 bytes and the secret alone, so kernels need no state and may search in any order.
// Source: docs/format (chunkers, sections 5.3, 10.4 and 13).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "chunk/kernels/lookup_table.h"

namespace cairn::chunk::kernels {

constexpr std::size_t kAesWindow = 64;

// digest = x * digest + out[leaving] + in[entering] in GF(2)[x] modulo x^64 + x^4 + x^3 + x + 1.
struct ToeplitzDigest {
  LookupTable<std::uint64_t> in;
  LookupTable<std::uint64_t> out;  // x^64 * in
};

// digest = x^8 * digest + out[leaving] + entering in GF(2)[x] modulo x^64 + polynomial.
struct RabinDigest {
  std::uint64_t polynomial;
  std::uint64_t top[256];  // b * x^64: what the byte that is shifted out comes back as
  std::uint64_t out[256];  // b * x^512
};

// digest = factor * digest + out[leaving] + entering modulo 2^64 - 2^32 + 1, always the number below it.
struct GoldilocksDigest {
  std::uint64_t factor;
  std::uint64_t out[256];  // -b * factor^64
};

template <class Digest>
struct AesSecret {
  alignas(16) std::uint8_t round_keys[11][16];
  Digest digest;
};

// Tests the positions data[0] to data[size - 1]; returns the first hit, or `size`. Reads data[-64] to data[size - 1].
template <class Digest>
using AesFind = std::size_t (*)(const AesSecret<Digest>& secret, const std::byte* data, std::size_t size,
                                std::uint64_t mask);

template <class Digest>
struct AesScan {
  const char* name;
  std::uint32_t needs;  // bits of cpu::Feature
  AesFind<Digest> find;
};

// Every version of this build, preferred first.
template <class Digest>
std::span<const AesScan<Digest>> aes_scans();

template <class Digest>
std::size_t aes_find_evp(const AesSecret<Digest>&, const std::byte*, std::size_t, std::uint64_t);
template <class Digest>
std::size_t aes_find_aesni(const AesSecret<Digest>&, const std::byte*, std::size_t, std::uint64_t);
template <class Digest>
std::size_t aes_find_vaes(const AesSecret<Digest>&, const std::byte*, std::size_t, std::uint64_t);
template <class Digest>
std::size_t aes_find_lanes(const AesSecret<Digest>&, const std::byte*, std::size_t, std::uint64_t);
template <class Digest>
std::size_t aes_find_arm64(const AesSecret<Digest>&, const std::byte*, std::size_t, std::uint64_t);

}  // namespace cairn::chunk::kernels
