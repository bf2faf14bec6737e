// The reference: one window after the other.
#include "chunk/kernels/buz_scan.h"

namespace cairn::chunk::kernels {

template <class Word>
std::size_t buz_find_scalar(const BuzTables<Word>& tables, const std::byte* data, std::size_t window, std::size_t count,
                            Word mask, Word* state) {
  const std::byte* const ahead = data + window;
  Word hash = *state;
  std::size_t i = 0;
  const auto advance = [&](std::size_t at) {
    hash = ((hash << 1U) | (hash >> (sizeof(Word) * 8 - 1))) ^ tables.out.words[static_cast<std::uint8_t>(data[at])] ^
           tables.in.words[static_cast<std::uint8_t>(ahead[at])];
  };
  const auto end_at = [&](std::size_t at) {
    *state = hash;
    return at;
  };
  for (; i + 4 <= count; i += 4) {
    if ((hash & mask) == 0) return end_at(i);
    advance(i);
    if ((hash & mask) == 0) return end_at(i + 1);
    advance(i + 1);
    if ((hash & mask) == 0) return end_at(i + 2);
    advance(i + 2);
    if ((hash & mask) == 0) return end_at(i + 3);
    advance(i + 3);
  }
  for (; i < count; ++i) {
    if ((hash & mask) == 0) return end_at(i);
    advance(i);
  }
  return end_at(count);
}

template std::size_t buz_find_scalar(const BuzTables<std::uint64_t>&, const std::byte*, std::size_t, std::size_t,
                                     std::uint64_t, std::uint64_t*);
template std::size_t buz_find_scalar(const BuzTables<std::uint32_t>&, const std::byte*, std::size_t, std::size_t,
                                     std::uint32_t, std::uint32_t*);

}  // namespace cairn::chunk::kernels
