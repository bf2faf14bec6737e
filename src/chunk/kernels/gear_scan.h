// The keyed gear hash: where is the next position whose hash is below a limit?
//
//   state = (state << 1) + table[byte]     for each byte, then state < limit is a hit
//
// The limit is a power of two: the test of a mask made of top bits. Bytes older than 64 have no influence.
// Source: docs/format (chunkers, sections 5.1, 10.1 and 13).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "chunk/kernels/lookup_table.h"

namespace cairn::chunk::kernels {

using GearTable = LookupTable<std::uint64_t>;

// Returns the offset of the first hit, or `size`. *state is then the hash after that byte (after the last one).
using GearFind = std::size_t (*)(const GearTable& table, const std::byte* data, std::size_t size, std::uint64_t limit,
                                 std::uint64_t* state);

struct GearScan {
  const char* name;
  std::uint32_t needs;  // bits of cpu::Feature
  GearFind find;
};

// Every version of this build, preferred first: measured, wider is not always faster.
std::span<const GearScan> gear_scans();

std::size_t gear_find_scalar(const GearTable&, const std::byte*, std::size_t, std::uint64_t, std::uint64_t*);
std::size_t gear_find_blockwise(const GearTable&, const std::byte*, std::size_t, std::uint64_t, std::uint64_t*);
std::size_t gear_find_lanes(const GearTable&, const std::byte*, std::size_t, std::uint64_t, std::uint64_t*);
std::size_t gear_find_avx2(const GearTable&, const std::byte*, std::size_t, std::uint64_t, std::uint64_t*);
std::size_t gear_find_neon(const GearTable&, const std::byte*, std::size_t, std::uint64_t, std::uint64_t*);
std::size_t gear_find_vbmi(const GearTable&, const std::byte*, std::size_t, std::uint64_t, std::uint64_t*);
std::size_t gear_find_avx512(const GearTable&, const std::byte*, std::size_t, std::uint64_t, std::uint64_t*);

}  // namespace cairn::chunk::kernels
