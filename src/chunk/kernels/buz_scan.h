// The cyclic polynomial hashes of buzhash (32 bits) and buzhash64: where is the next window whose hash has zeros under
// a mask?
//
//   hash of a window of n bytes = XOR of rotl(table[byte k], n - 1 - k)
//   next = rotl(hash, 1) ^ out[first byte of the window] ^ in[byte after the window],    out[b] = rotl(in[b], n)
//
// Source: docs/format (chunkers, sections 3.2, 5.2, 10.2 and 13).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "chunk/kernels/lookup_table.h"

namespace cairn::chunk::kernels {

template <class Word>
struct BuzTables {
  LookupTable<Word> in, out;
};

// Tests the windows that begin at data[0], data[1], ... data[count - 1], each before it moves on. Returns the first
// whose hash passes, or `count`. *state is the hash of the window at data[0], and then of the window at the returned
// offset. Reads data[0] to data[count + window - 1].
template <class Word>
using BuzFind = std::size_t (*)(const BuzTables<Word>& tables, const std::byte* data, std::size_t window,
                                std::size_t count, Word mask, Word* state);

template <class Word>
struct BuzScan {
  const char* name;
  std::uint32_t needs;  // bits of cpu::Feature
  BuzFind<Word> find;
};

// Every version of this build, preferred first: measured, wider is not always faster.
std::span<const BuzScan<std::uint64_t>> buz64_scans();
std::span<const BuzScan<std::uint32_t>> buz32_scans();

template <class Word>
std::size_t buz_find_scalar(const BuzTables<Word>&, const std::byte*, std::size_t, std::size_t, Word, Word*);
template <class Word>
std::size_t buz_find_lanes(const BuzTables<Word>&, const std::byte*, std::size_t, std::size_t, Word, Word*);
template <class Word>
std::size_t buz_find_vbmi(const BuzTables<Word>&, const std::byte*, std::size_t, std::size_t, Word, Word*);
std::size_t buz_find_blockwise(const BuzTables<std::uint64_t>&, const std::byte*, std::size_t, std::size_t,
                               std::uint64_t, std::uint64_t*);
std::size_t buz_find_neon(const BuzTables<std::uint64_t>&, const std::byte*, std::size_t, std::size_t, std::uint64_t,
                          std::uint64_t*);
std::size_t buz_find_avx2(const BuzTables<std::uint64_t>&, const std::byte*, std::size_t, std::size_t, std::uint64_t,
                          std::uint64_t*);
std::size_t buz_find_avx512(const BuzTables<std::uint64_t>&, const std::byte*, std::size_t, std::size_t, std::uint64_t,
                            std::uint64_t*);

}  // namespace cairn::chunk::kernels
