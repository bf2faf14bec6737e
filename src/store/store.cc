// What every backend can do with the basic operations, for those that know no better way.

#include "store/store.h"

#include <fmt/format.h>

#include "hash/blake3.h"

namespace cairn::store {

Result<std::vector<std::string>> Store::list_names(std::string_view space, Which which) {
  CAIRN_TRY(std::vector<Entry> entries, list(space, which));
  std::vector<std::string> names;
  names.reserve(entries.size());
  for (Entry& entry : entries) names.push_back(std::move(entry.name));
  return names;
}

Status Store::gather(std::span<const Range> ranges, Buffer& out) {
  out.clear();
  Buffer piece;
  for (const Range& range : ranges) {
    if (range.size == 0) continue;  // reads nothing, so the object need not exist
    CAIRN_CHECKED(load_range(range.name, range.offset, range.size, piece));
    if (piece.size() != range.size) {
      return fail(Code::Integrity, fmt::format("{}: {} bytes wanted from offset {}, {} are there", range.name,
                                               range.size, range.offset, piece.size()));
    }
    out.append(piece);
  }
  return {};
}

Result<PackId> Store::defrag(std::span<const Range> ranges) {
  Buffer content;
  CAIRN_CHECKED(gather(ranges, content));
  const PackId id{hash::blake3(content).raw};
  CAIRN_CHECKED(put("packs/" + id.hex(), content));
  return id;
}

std::string Store::granted(std::string_view) const { return "lrwWD"; }

}  // namespace cairn::store
