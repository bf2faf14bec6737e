#include "compress/codec.h"

#include <fmt/format.h>

#include <algorithm>

namespace cairn::compress {

std::size_t Wanted::first_capacity(Bytes payload, const Buffer& plain) const {
  constexpr std::size_t kLeast = 65536;
  if (size) return *size;
  return std::min(limit, std::max({kLeast, plain.capacity(), 4 * payload.size()}));
}

std::size_t Wanted::next_capacity(std::size_t tried) const { return std::min(limit, tried * 4); }

Error damaged(std::string_view what) { return {Code::Decompression, std::string(what)}; }

Error wrong_plain_size(const Wanted& wanted) {
  if (wanted.size)
    return {Code::Integrity, fmt::format("decompressed data has not the {} bytes it should", *wanted.size)};
  return {Code::Integrity, fmt::format("decompressed data is larger than {} bytes", wanted.limit)};
}

}  // namespace cairn::compress
