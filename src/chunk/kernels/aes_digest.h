// The three digests one byte after the other, for kernels. Everything is internal to the file that includes this: each
// is built for an instruction set of its own.
#pragma once

#include "chunk/kernels/aes_scan.h"

namespace cairn::chunk::kernels {
namespace {

__extension__ typedef unsigned __int128 Wide;

inline std::uint8_t number(std::byte byte) { return static_cast<std::uint8_t>(byte); }

inline std::uint64_t enter(const ToeplitzDigest& tables, std::uint64_t digest, std::byte in) {
  const std::uint64_t overflow = 0 - (digest >> 63U);
  return (digest << 1U) ^ (overflow & 0x1bU) ^ tables.in.words[number(in)];
}

inline std::uint64_t enter(const RabinDigest& tables, std::uint64_t digest, std::byte in) {
  return ((digest << 8U) | number(in)) ^ tables.top[digest >> 56U];
}

constexpr std::uint64_t kGoldilocks = 0xffffffff00000001U;  // p

// What a carry out of 64 bits, or p too much, comes back as: 2^64 mod p, and 2^64 - p. Everything here does without
// branches, as carries are as random as the data.
inline std::uint64_t carried(bool carry) { return 0xffffffffU & (0 - static_cast<std::uint64_t>(carry)); }

inline std::uint64_t reduce_mod(std::uint64_t a) { return a + carried(a >= kGoldilocks); }

// a + b mod p, for numbers below p.
inline std::uint64_t add_mod(std::uint64_t a, std::uint64_t b) {
  std::uint64_t sum;
  const bool carry = __builtin_add_overflow(a, b, &sum);
  return reduce_mod(sum + carried(carry));
}

// a * b mod p, as a number that may be p too large. 2^96 = -1 mod p.
inline std::uint64_t multiply_mod(std::uint64_t a, std::uint64_t b) {
  const Wide product = static_cast<Wide>(a) * b;
  const auto high = static_cast<std::uint64_t>(product >> 64U);
  std::uint64_t low;
  const bool borrow = __builtin_sub_overflow(static_cast<std::uint64_t>(product), high >> 32U, &low);
  low -= carried(borrow);
  std::uint64_t sum;
  const bool carry = __builtin_add_overflow(low, (high & 0xffffffffU) * 0xffffffffU, &sum);
  return sum + carried(carry);
}

inline std::uint64_t enter(const GoldilocksDigest& tables, std::uint64_t digest, std::byte in) {
  return add_mod(reduce_mod(multiply_mod(tables.factor, digest)), number(in));
}

inline std::uint64_t roll(const ToeplitzDigest& tables, std::uint64_t digest, std::byte out, std::byte in) {
  return enter(tables, digest, in) ^ tables.out.words[number(out)];
}

inline std::uint64_t roll(const RabinDigest& tables, std::uint64_t digest, std::byte out, std::byte in) {
  return enter(tables, digest, in) ^ tables.out[number(out)];
}

inline std::uint64_t roll(const GoldilocksDigest& tables, std::uint64_t digest, std::byte out, std::byte in) {
  // The table's sum does not wait for the product.
  const std::uint64_t change = add_mod(tables.out[number(out)], number(in));
  return add_mod(reduce_mod(multiply_mod(tables.factor, digest)), change);
}

// The digest of the 64 bytes that end before `data`.
template <class Digest>
std::uint64_t digest_before(const Digest& tables, const std::byte* data) {
  std::uint64_t digest = 0;
  for (const std::byte* at = data - kAesWindow; at != data; ++at) digest = enter(tables, digest, *at);
  return digest;
}

}  // namespace
}  // namespace cairn::chunk::kernels
