// A table of one secret word per byte value, as loads want it and as vector permutations want it.
// Threads   plain data.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cairn::chunk::kernels {

template <class Word>
struct LookupTable {
  alignas(64) Word words[256];
  alignas(64) std::uint8_t planes[sizeof(Word)][256];  // byte k, the lowest first, of all words
};

// `words` has 256 entries.
template <class Word>
void set_lookup_table(LookupTable<Word>& table, const Word* words) {
  for (std::size_t i = 0; i < 256; ++i) {
    table.words[i] = words[i];
    for (std::size_t k = 0; k < sizeof(Word); ++k) table.planes[k][i] = static_cast<std::uint8_t>(words[i] >> (8 * k));
  }
}

}  // namespace cairn::chunk::kernels
