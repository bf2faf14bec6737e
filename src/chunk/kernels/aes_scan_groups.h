// Digests in general registers, encrypted in groups, for kernels that include this with a cipher of their own.
//
// Several places of the data at once: a digest waits for the one before it most of the time, independent ones fill that
// gap. Each lane starts with the 64 bytes before it, which is exact.
#pragma once

#include "chunk/kernels/aes_digest.h"

namespace cairn::chunk::kernels {
namespace {

// A filter sees the first two bytes of the ciphertext, so masks that do not cover the first are tested one by one.
constexpr std::uint64_t kLeastFilterMask = 0xff;

// One position after the other.
template <class Digest, class Cipher>
std::size_t find_each(const AesSecret<Digest>& secret, const Cipher& cipher, const std::byte* data, std::size_t size,
                      std::uint64_t mask) {
  std::uint64_t digest = digest_before(secret.digest, data);
  for (std::size_t i = 0; i < size; ++i) {
    digest = roll(secret.digest, digest, *(data + i - kAesWindow), data[i]);
    if ((cipher.encrypt(digest) & mask) == 0) return i;
  }
  return size;
}

// Tests kLanes * length positions; length is a multiple of Cipher::kGroup / kLanes.
template <std::size_t kLanes, class Digest, class Cipher>
std::size_t find_in_lanes(const AesSecret<Digest>& secret, const Cipher& cipher, const std::byte* data,
                          std::size_t length, std::uint64_t mask) {
  constexpr std::size_t kSteps = Cipher::kGroup / kLanes;
  std::uint64_t digests[kLanes];
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    digests[lane] = digest_before(secret.digest, data + lane * length);
  }
  std::size_t first = kLanes * length;
  for (std::size_t i = 0; i < length; i += kSteps) {
    std::uint64_t group[Cipher::kGroup];
#pragma GCC unroll 16
    for (std::size_t step = 0; step < kSteps; ++step) {
#pragma GCC unroll 8
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        const std::byte* const at = data + lane * length + i + step;
        digests[lane] = roll(secret.digest, digests[lane], *(at - kAesWindow), *at);
        group[lane * kSteps + step] = digests[lane];
      }
    }
    for (std::uint64_t candidates = cipher.candidates(group); candidates != 0; candidates &= candidates - 1) {
      const auto place = static_cast<std::size_t>(__builtin_ctzll(candidates));
      if ((cipher.encrypt(group[place]) & mask) != 0) continue;
      const std::size_t hit = place / kSteps * length + i + place % kSteps;
      // Nothing in the file lies before a hit of the first lane; before others, the lanes to the left go on.
      if (hit < length) return hit;
      first = hit < first ? hit : first;
    }
  }
  return first;
}

template <class Digest, class Cipher>
std::size_t find_in_groups(const AesSecret<Digest>& secret, const std::byte* data, std::size_t size,
                           std::uint64_t mask) {
  constexpr std::size_t kLanes = 4;
  constexpr std::size_t kLeast = 256;
  constexpr std::size_t kMost = 16384;
  const Cipher cipher(secret.round_keys, mask);
  if (mask < kLeastFilterMask) return find_each(secret, cipher, data, size, mask);
  // Work behind a hit is lost, so lanes are short where hits are frequent: 1/16 of the distance to be expected.
  const std::size_t useful = static_cast<std::size_t>(mask / 16 / kLanes < kMost ? mask / 16 / kLanes : kMost);
  std::size_t i = 0;
  while (useful >= kLeast && size - i >= kLanes * kLeast) {
    std::size_t length = (size - i) / kLanes < useful ? (size - i) / kLanes : useful;
    length -= length % Cipher::kGroup;
    const std::size_t hit = find_in_lanes<kLanes>(secret, cipher, data + i, length, mask);
    i += hit;
    if (hit < kLanes * length) return i;
  }
  if (const std::size_t length = (size - i) / Cipher::kGroup * Cipher::kGroup; length > 0) {
    const std::size_t hit = find_in_lanes<1>(secret, cipher, data + i, length, mask);
    i += hit;
    if (hit < length) return i;
  }
  return i + find_each(secret, cipher, data + i, size - i, mask);
}

}  // namespace
}  // namespace cairn::chunk::kernels
