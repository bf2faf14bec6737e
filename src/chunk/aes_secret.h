// What the AES chunkers derive from the repository's key: the AES-128 key and the tables of their digests.
// Cost: microseconds; half a millisecond for rabin-aes, which looks for an irreducible polynomial.
// Source: docs/format (chunkers, sections 2.3 and 5.3).
#pragma once

#include "chunk/cutter.h"
#include "chunk/kernels/aes_scan.h"

namespace cairn::chunk {

// Wipe them after use.
kernels::AesSecret<kernels::ToeplitzDigest> toeplitz_secret(const Keys& keys);
kernels::AesSecret<kernels::RabinDigest> rabin_secret(const Keys& keys);
kernels::AesSecret<kernels::GoldilocksDigest> goldilocks_secret(const Keys& keys);

// Whether x^64 + `low` is irreducible in GF(2)[x].
bool is_irreducible(std::uint64_t low);

}  // namespace cairn::chunk
