// One file system object in an archive: its facts and its place in the item stream.
//
// Texts are the file system's bytes (any encoding). Unknown keys of a decoded item are kept and written back, sorted
// in. Pairs must be sorted by their first part where an item is encoded; decoding sees to it.
// Errors    decode: Integrity, also for a path that is missing. A path with a ".." component decodes, but safe_path()
//           is an error.
// Source    docs/format (archive, section 3).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/buffer.h"
#include "base/bytes.h"
#include "base/clock.h"
#include "base/error.h"

namespace cairn::archive {

struct ChunkRef {
  ChunkId id;
  std::uint32_t size = 0;  // plaintext
  friend bool operator==(const ChunkRef&, const ChunkRef&) = default;
};

struct Item {
  std::string path{};
  std::uint32_t mode = 0;
  Nanoseconds mtime = 0;
  std::optional<Nanoseconds> atime{}, ctime{}, birthtime{};
  std::optional<std::int64_t> uid{}, gid{};
  std::optional<std::string> user{}, group{};
  std::optional<std::uint64_t> inode{};
  std::optional<std::uint64_t> bsdflags{};
  std::optional<std::vector<std::pair<std::string, std::string>>> xattrs{};  // sorted by name
  std::optional<std::string> acl_access{}, acl_default{}, acl_nfs4{}, acl_extended{};
  std::optional<std::vector<ChunkRef>> chunks{};
  std::optional<std::uint64_t> size{};
  std::optional<Digest256> hlid{};
  std::optional<std::string> target{};
  std::optional<std::uint64_t> rdev{};
  std::optional<std::vector<std::pair<std::string, std::string>>> digests{};  // algorithm, raw bytes
  std::vector<std::pair<std::string, std::string>> unknown{};                 // key, encoded value

  bool has_content() const { return chunks.has_value(); }
};

// Appends the item's map, keys sorted.
void encode(const Item& item, Buffer& out);

// Decodes the map at the start of `bytes`; `used` is its length. Incomplete tells "needs more bytes" from "damaged".
struct Decoded {
  bool incomplete = false;
  std::size_t used = 0;
};
Result<Decoded> decode(Bytes bytes, Item& item);
// The same for bytes that are known to be exactly one value.
Status decode_complete(Bytes bytes, Item& item);

// The path, made relative and normal; BackupPathTraversal for "..".
Result<std::string> safe_path(const std::string& path);

// Timestamps as the format stores them: 0 .. 2262-04-09T23:47:16Z.
Nanoseconds clamp_timestamp(Nanoseconds time);
// SHA-256 of "inode/device".
Digest256 hardlink_id(std::uint64_t inode, std::uint64_t device);

}  // namespace cairn::archive
