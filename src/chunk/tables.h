// The secret tables of the chunkers, derived from the repository's key.
// Cost: microseconds (gear, buzhash) to a millisecond (buzhash64). Source: docs/format (chunkers, section 2).
#pragma once

#include <array>
#include <cstdint>

#include "chunk/cutter.h"

namespace cairn::chunk {

template <class Word>
using Table = std::array<Word, 256>;

// K of section 2.1: SHA-256(id_key || name), or zeros without a repository.
hash::Key256 chunker_key(const Keys& keys, Algorithm algorithm);

Table<std::uint64_t> gear_table(const Keys& keys);
Table<std::uint64_t> buzhash64_table(const Keys& keys);  // every bit is set in exactly 128 entries
Table<std::uint32_t> buzhash_table(const Keys& keys);

}  // namespace cairn::chunk
