// Four places of the block at once, in general registers: the plain loop waits for its own last hash most of the time,
// four independent ones fill that gap. Each lane but the first hashes one whole window before it starts, so lanes pay
// off only when they are much longer than the window.
#include "chunk/kernels/buz_scan.h"

namespace cairn::chunk::kernels {
namespace {

constexpr std::size_t kLanes = 4;

template <class Word>
Word rotate(Word value) {
  return static_cast<Word>((value << 1U) | (value >> (sizeof(Word) * 8 - 1)));
}

// Tests 4 * Length windows.
template <std::size_t Length, class Word>
std::size_t find_in_lanes(const BuzTables<Word>& tables, const std::byte* data, std::size_t window, Word mask,
                          Word* state) {
  Word a = *state;
  Word b = 0;
  Word c = 0;
  Word d = 0;
  const auto take = [&](Word hash, std::byte byte) {
    return static_cast<Word>(rotate(hash) ^ tables.in.words[static_cast<std::uint8_t>(byte)]);
  };
  const std::byte* at = data;
  for (const std::byte* const end = data + window; at != end; ++at) {
    b = take(b, at[Length]);
    c = take(c, at[2 * Length]);
    d = take(d, at[3 * Length]);
  }
  const auto advance = [&](Word hash, std::byte leaving, std::byte entering) {
    return static_cast<Word>(take(hash, entering) ^ tables.out.words[static_cast<std::uint8_t>(leaving)]);
  };
  std::size_t lane = kLanes;
  const std::byte* const end = data + Length;
  const std::byte* ahead = data + window;
  for (at = data; at != end; ++at, ++ahead) {
    if ((a & mask) == 0) {
      *state = a;
      return static_cast<std::size_t>(at - data);
    }
    if ((b & mask) == 0) {
      lane = 1;
      break;
    }
    if ((c & mask) == 0) {
      lane = 2;
      break;
    }
    if ((d & mask) == 0) {
      lane = 3;
      break;
    }
    a = advance(a, at[0], ahead[0]);
    b = advance(b, at[Length], ahead[Length]);
    c = advance(c, at[2 * Length], ahead[2 * Length]);
    d = advance(d, at[3 * Length], ahead[3 * Length]);
  }
  if (lane == kLanes) {
    *state = d;
    return kLanes * Length;
  }
  // A hit, but what lies before it in the file comes first: the rest of the lanes to its left.
  Word hashes[kLanes] = {a, b, c, d};
  const auto offset = static_cast<std::size_t>(at - data);
  for (std::size_t k = 0; k < lane; ++k) {
    const std::size_t from = k * Length + offset;
    const std::size_t left = Length - offset;
    const std::size_t hit = buz_find_scalar(tables, data + from, window, left, mask, &hashes[k]);
    if (hit < left) {
      *state = hashes[k];
      return from + hit;
    }
  }
  *state = hashes[lane];
  return lane * Length + offset;
}

}  // namespace

template <class Word>
std::size_t buz_find_lanes(const BuzTables<Word>& tables, const std::byte* data, std::size_t window, std::size_t count,
                           Word mask, Word* state) {
  std::size_t i = 0;
  const auto scan = [&](auto find, std::size_t step) {
    while (count - i >= step) {
      const std::size_t hit = find(tables, data + i, window, mask, state);
      i += hit;
      if (hit < step) return true;
    }
    return false;
  };
  // Work behind a hit is lost, so lanes are short where hits are frequent: below 1/16 of the distance to be expected.
  const auto useful = [&](std::size_t length) { return length >= 4 * window && mask / 16 >= length; };
  if (useful(32768) && scan(find_in_lanes<32768, Word>, kLanes * 32768)) return i;
  if (useful(8192) && scan(find_in_lanes<8192, Word>, kLanes * 8192)) return i;
  if (useful(1024) && scan(find_in_lanes<1024, Word>, kLanes * 1024)) return i;
  return i + buz_find_scalar(tables, data + i, window, count - i, mask, state);
}

template std::size_t buz_find_lanes(const BuzTables<std::uint64_t>&, const std::byte*, std::size_t, std::size_t,
                                    std::uint64_t, std::uint64_t*);
template std::size_t buz_find_lanes(const BuzTables<std::uint32_t>&, const std::byte*, std::size_t, std::size_t,
                                    std::uint32_t, std::uint32_t*);

}  // namespace cairn::chunk::kernels
