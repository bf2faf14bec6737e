// Walking through the objects of a pack by their headers, for rebuilding the index and for salvage.
//
// With a reader every object's metadata slot is authenticated, and after damage the walk looks for the next genuine
// object (payloads may contain the magic; nothing is accepted without authentication). Without one it stops at the
// first bad header. Source: docs/format (repository, section 4.2).
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/error.h"
#include "repo/object_codec.h"
#include "store/store.h"

namespace cairn::repo {

struct WalkedObject {
  ChunkId id;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  ObjectMeta meta;  // with a reader only
};

struct WalkResult {
  std::uint64_t objects = 0;
  std::uint64_t damaged_ranges = 0;  // byte ranges that are no genuine object
  std::uint64_t damaged_bytes = 0;
};

// Objects that lie in [begin, end) of the pack. Errors are those of the store only; damage is counted.
Result<WalkResult> walk_pack(store::Store& store, const std::string& pack_name, std::uint64_t begin, std::uint64_t end,
                             ObjectReader* reader, const std::function<void(const WalkedObject&)>& visit);
// The same where the bytes come from something else than a plain read: what exists of a range replaces `out`.
using LoadRange = std::function<Status(std::uint64_t offset, std::uint64_t size, Buffer& out)>;
Result<WalkResult> walk_pack(const LoadRange& load, std::uint64_t begin, std::uint64_t end, ObjectReader* reader,
                             const std::function<void(const WalkedObject&)>& visit);

}  // namespace cairn::repo
