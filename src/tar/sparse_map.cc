// See the header.
#include "tar/sparse_map.h"

#include <fmt/format.h>

#include "tar/member.h"

namespace cairn::tar {

std::uint64_t SparseMap::stored_bytes() const {
  std::uint64_t bytes = 0;
  for (const DataRange& range : data) bytes += range.size;
  return bytes;
}

SparseMap map_without_holes(std::span<const DataRange> zeros, std::uint64_t real_size) {
  SparseMap map{.data = {}, .real_size = real_size};
  std::uint64_t at = 0;
  for (const DataRange& run : zeros) {
    const std::uint64_t start = (run.offset + kBlock - 1) / kBlock * kBlock;
    std::uint64_t end = run.offset + run.size;
    if (end != real_size) end = end / kBlock * kBlock;
    if (start >= end) continue;
    if (start > at) map.data.push_back({at, start - at});
    at = end;
  }
  if (at < real_size) map.data.push_back({at, real_size - at});
  return map;
}

std::string map_text(const SparseMap& map) {
  const bool ends_in_hole = map.data.empty() || map.data.back().offset + map.data.back().size < map.real_size;
  std::string text = fmt::format("{}\n", map.data.size() + (ends_in_hole ? 1 : 0));
  for (const DataRange& range : map.data) text += fmt::format("{}\n{}\n", range.offset, range.size);
  if (ends_in_hole) text += fmt::format("{}\n0\n", map.real_size);
  text.resize(text.size() + padding(text.size()), '\0');
  return text;
}

Status check_and_tidy(SparseMap& map) {
  std::uint64_t end = 0;
  for (const DataRange& range : map.data) {
    if (range.offset < end || range.offset > map.real_size || range.size > map.real_size - range.offset) {
      return fail(Code::Integrity, "the map of a sparse file is damaged");
    }
    end = range.offset + range.size;
  }
  std::erase_if(map.data, [](const DataRange& range) { return range.size == 0; });
  return {};
}

}  // namespace cairn::tar
