#include "archive/item.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "archive/keyed_values.h"
#include "archive/python_text.h"
#include "archive/value_scan.h"
#include "base/normalized_path.h"
#include "hash/sha256.h"
#include "msgpack/reader.h"
#include "msgpack/writer.h"

namespace cairn::archive {
namespace {

enum Key {
  kAclAccess,
  kAclDefault,
  kAclExtended,
  kAclNfs4,
  kAtime,
  kBirthtime,
  kBsdflags,
  kChunks,
  kCtime,
  kDigests,
  kGid,
  kGroup,
  kHlid,
  kInode,
  kMode,
  kMtime,
  kPath,
  kRdev,
  kSize,
  kTarget,
  kUid,
  kUser,
  kXattrs,
  kKeyCount,
};

// In the order in which they are written: sorted.
constexpr std::array<std::string_view, kKeyCount> kKeyNames = {
    "acl_access", "acl_default", "acl_extended", "acl_nfs4", "atime", "birthtime", "bsdflags", "chunks",
    "ctime",      "digests",     "gid",          "group",    "hlid",  "inode",     "mode",     "mtime",
    "path",       "rdev",        "size",         "target",   "uid",   "user",      "xattrs"};
static_assert(std::is_sorted(kKeyNames.begin(), kKeyNames.end()));

// The keys as they are encoded: short strings, so one length byte in front.
struct EncodedKey {
  std::array<std::byte, 16> bytes{};
  std::size_t size = 0;
};
constexpr auto kEncodedKeys = [] {
  std::array<EncodedKey, kKeyCount> keys{};
  for (std::size_t i = 0; i < kKeyCount; ++i) {
    keys[i].bytes[0] = static_cast<std::byte>(0xa0U | kKeyNames[i].size());
    for (std::size_t j = 0; j < kKeyNames[i].size(); ++j)
      keys[i].bytes[j + 1] = static_cast<std::byte>(kKeyNames[i][j]);
    keys[i].size = kKeyNames[i].size() + 1;
  }
  return keys;
}();

// Writes the known keys in order and lets the unknown ones in where they belong.
class ItemEncoder {
 public:
  ItemEncoder(const Item& item, Buffer& out) : item_(item), writer_(out), unknown_(item.unknown.begin()) {}

  void key(Key which) {
    while (unknown_ != item_.unknown.end() && unknown_->first < kKeyNames[which]) put_unknown();
    const EncodedKey& encoded = kEncodedKeys[which];
    writer_.raw({encoded.bytes.data(), encoded.size});
  }
  void bin(Key which, const std::optional<std::string>& value) {
    if (!value) return;
    key(which);
    writer_.bin(bytes_of(*value));
  }
  void text(Key which, const std::optional<std::string>& value) {
    if (!value) return;
    key(which);
    writer_.str(*value);
  }
  void number(Key which, const std::optional<std::uint64_t>& value) {
    if (!value) return;
    key(which);
    writer_.uinteger(*value);
  }
  void number(Key which, const std::optional<std::int64_t>& value) {
    if (!value) return;
    key(which);
    writer_.integer(*value);
  }
  void time(Key which, const std::optional<Nanoseconds>& value) {
    if (!value) return;
    key(which);
    writer_.timestamp(std::max<Nanoseconds>(0, *value));
  }
  void finish() {
    while (unknown_ != item_.unknown.end()) put_unknown();
  }
  msgpack::Writer& writer() { return writer_; }

 private:
  void put_unknown() {
    writer_.str(unknown_->first);
    writer_.raw(bytes_of(unknown_->second));
    ++unknown_;
  }

  const Item& item_;
  msgpack::Writer writer_;
  KeyedValues::const_iterator unknown_;
};

std::size_t count_keys(const Item& item) {
  const auto some = [](const auto&... optionals) { return (std::size_t{0} + ... + (optionals ? 1U : 0U)); };
  return 3 + some(item.atime, item.ctime, item.birthtime, item.uid, item.gid, item.user, item.group, item.inode) +
         some(item.bsdflags, item.xattrs, item.acl_access, item.acl_default, item.acl_nfs4, item.acl_extended) +
         some(item.chunks, item.size, item.hlid, item.target, item.rdev, item.digests) + item.unknown.size();
}

void encode_chunks(const std::vector<ChunkRef>& chunks, msgpack::Writer& writer) {
  writer.array(chunks.size());
  for (const ChunkRef& chunk : chunks) {
    writer.array(2);
    writer.bin(chunk.id.raw);
    writer.uinteger(chunk.size);
  }
}

// The place of `name` among the known keys, looked for from `hint` on: keys usually come sorted.
std::size_t find_key(std::string_view name, std::size_t hint) {
  for (std::size_t i = hint; i < kKeyCount; ++i) {
    if (kKeyNames[i] == name) return i;
  }
  for (std::size_t i = 0; i < hint; ++i) {
    if (kKeyNames[i] == name) return i;
  }
  return kKeyCount;
}

Status read_nil(msgpack::Reader& reader) { return reader.skip(); }

Result<bool> next_is_nil(const msgpack::Reader& reader) {
  CAIRN_TRY(const msgpack::Type type, reader.peek());
  return type == msgpack::Type::Nil;
}

Status read_text(msgpack::Reader& reader, std::optional<std::string>& to) {
  CAIRN_TRY(const bool nil, next_is_nil(reader));
  if (nil) return read_nil(reader);
  CAIRN_TRY(const std::string_view text, reader.text_or_bin());
  to.emplace(text);
  return {};
}

Status read_number(msgpack::Reader& reader, std::optional<std::uint64_t>& to) {
  CAIRN_TRY(const bool nil, next_is_nil(reader));
  if (nil) return read_nil(reader);
  CAIRN_TRY(const std::uint64_t number, reader.uinteger());
  to = number;
  return {};
}

Status read_number(msgpack::Reader& reader, std::optional<std::int64_t>& to) {
  CAIRN_TRY(const bool nil, next_is_nil(reader));
  if (nil) return read_nil(reader);
  CAIRN_TRY(const std::int64_t number, reader.integer());
  to = number;
  return {};
}

Status read_time(msgpack::Reader& reader, std::optional<Nanoseconds>& to) {
  CAIRN_TRY(const msgpack::Type type, reader.peek());
  if (type == msgpack::Type::Nil) return read_nil(reader);
  // Older data has plain integers of nanoseconds.
  if (type == msgpack::Type::Integer) return read_number(reader, to);
  CAIRN_TRY(const Nanoseconds time, reader.timestamp());
  to = time;
  return {};
}

template <class Tag>
Result<Id256<Tag>> read_id(msgpack::Reader& reader) {
  CAIRN_TRY(const std::string_view raw, reader.text_or_bin());
  if (raw.size() != 32) return fail(Code::Integrity, fmt::format("an id has {} bytes instead of 32", raw.size()));
  return Id256<Tag>::copy(bytes_of(raw).data());
}

Status read_chunks(msgpack::Reader& reader, std::optional<std::vector<ChunkRef>>& to) {
  CAIRN_TRY(const bool nil, next_is_nil(reader));
  if (nil) return read_nil(reader);
  CAIRN_TRY(const std::size_t count, reader.array());
  std::vector<ChunkRef> chunks;
  chunks.reserve(count);  // at most the input's length, see Reader
  for (std::size_t i = 0; i < count; ++i) {
    CAIRN_TRY(const std::size_t parts, reader.array());
    if (parts < 2) return fail(Code::Integrity, "a chunk list entry is too short");
    ChunkRef chunk;
    CAIRN_TRY(chunk.id, read_id<ChunkIdTag>(reader));
    CAIRN_TRY(const std::uint64_t size, reader.uinteger());
    if (size > UINT32_MAX) return fail(Code::Integrity, fmt::format("a chunk claims {} bytes", size));
    chunk.size = static_cast<std::uint32_t>(size);
    for (std::size_t extra = 2; extra < parts; ++extra) CAIRN_CHECKED(reader.skip());  // Borg 1: compressed size
    chunks.push_back(chunk);
  }
  to = std::move(chunks);
  return {};
}

Status read_pairs(msgpack::Reader& reader, std::optional<KeyedValues>& to) {
  CAIRN_TRY(const bool nil, next_is_nil(reader));
  if (nil) return read_nil(reader);
  CAIRN_TRY(const std::size_t count, reader.map());
  KeyedValues pairs;
  for (std::size_t i = 0; i < count; ++i) {
    CAIRN_TRY(const std::string_view name, reader.text_or_bin());
    std::optional<std::string> value;
    CAIRN_CHECKED(read_text(reader, value));
    pairs.emplace_back(name, value ? std::move(*value) : std::string());
  }
  sort_by_key(pairs);
  to = std::move(pairs);
  return {};
}

Status read_value(std::size_t which, msgpack::Reader& reader, Item& item) {
  switch (which) {
    case kAclAccess:
      return read_text(reader, item.acl_access);
    case kAclDefault:
      return read_text(reader, item.acl_default);
    case kAclExtended:
      return read_text(reader, item.acl_extended);
    case kAclNfs4:
      return read_text(reader, item.acl_nfs4);
    case kAtime:
      return read_time(reader, item.atime);
    case kBirthtime:
      return read_time(reader, item.birthtime);
    case kBsdflags:
      return read_number(reader, item.bsdflags);
    case kChunks:
      return read_chunks(reader, item.chunks);
    case kCtime:
      return read_time(reader, item.ctime);
    case kDigests:
      return read_pairs(reader, item.digests);
    case kGid:
      return read_number(reader, item.gid);
    case kGroup:
      return read_text(reader, item.group);
    case kHlid: {
      CAIRN_TRY(item.hlid, read_id<Digest256Tag>(reader));
      return {};
    }
    case kInode:
      return read_number(reader, item.inode);
    case kMode: {
      CAIRN_TRY(const std::uint64_t mode, reader.uinteger());
      if (mode > UINT32_MAX) return fail(Code::Integrity, fmt::format("a mode of {}", mode));
      item.mode = static_cast<std::uint32_t>(mode);
      return {};
    }
    case kMtime: {
      std::optional<Nanoseconds> time;
      CAIRN_CHECKED(read_time(reader, time));
      item.mtime = time.value_or(0);
      return {};
    }
    case kPath: {
      CAIRN_TRY(const std::string_view path, reader.text_or_bin());
      item.path = path;
      return {};
    }
    case kRdev:
      return read_number(reader, item.rdev);
    case kSize:
      return read_number(reader, item.size);
    case kTarget:
      return read_text(reader, item.target);
    case kUid:
      return read_number(reader, item.uid);
    case kUser:
      return read_text(reader, item.user);
    default:
      return read_pairs(reader, item.xattrs);
  }
}

}  // namespace

void encode(const Item& item, Buffer& out) {
  ItemEncoder encoder(item, out);
  msgpack::Writer& writer = encoder.writer();
  writer.map(count_keys(item));
  encoder.bin(kAclAccess, item.acl_access);
  encoder.bin(kAclDefault, item.acl_default);
  encoder.bin(kAclExtended, item.acl_extended);
  encoder.bin(kAclNfs4, item.acl_nfs4);
  encoder.time(kAtime, item.atime);
  encoder.time(kBirthtime, item.birthtime);
  encoder.number(kBsdflags, item.bsdflags);
  if (item.chunks) {
    encoder.key(kChunks);
    encode_chunks(*item.chunks, writer);
  }
  encoder.time(kCtime, item.ctime);
  if (item.digests) {
    encoder.key(kDigests);
    writer.map(item.digests->size());
    for (const auto& [name, digest] : *item.digests) {
      writer.str(name);
      writer.bin(bytes_of(digest));
    }
  }
  encoder.number(kGid, item.gid);
  encoder.text(kGroup, item.group);
  if (item.hlid) {
    encoder.key(kHlid);
    writer.bin(item.hlid->raw);
  }
  encoder.number(kInode, item.inode);
  encoder.key(kMode);
  writer.uinteger(item.mode);
  encoder.key(kMtime);
  writer.timestamp(std::max<Nanoseconds>(0, item.mtime));
  encoder.key(kPath);
  writer.str(item.path);
  encoder.number(kRdev, item.rdev);
  encoder.number(kSize, item.size);
  encoder.text(kTarget, item.target);
  encoder.number(kUid, item.uid);
  encoder.text(kUser, item.user);
  if (item.xattrs) {
    encoder.key(kXattrs);
    writer.map(item.xattrs->size());
    for (const auto& [name, value] : *item.xattrs) {
      writer.bin(bytes_of(name));
      writer.bin(bytes_of(value));
    }
  }
  encoder.finish();
}

Result<Decoded> decode(Bytes bytes, Item& item) {
  ValueScan scan;
  switch (scan.advance(bytes)) {
    case ValueScan::State::Incomplete:
      return Decoded{.incomplete = true, .used = 0};
    case ValueScan::State::Damaged:
      return fail(Code::Integrity, "an item's encoding is damaged");
    case ValueScan::State::Complete:
      break;
  }
  CAIRN_CHECKED(decode_complete(bytes.first(scan.position()), item));
  return Decoded{.incomplete = false, .used = scan.position()};
}

Status decode_complete(Bytes bytes, Item& item) {
  item = Item{};
  msgpack::Reader reader(bytes);
  CAIRN_TRY(const std::size_t count, reader.map());
  bool has_path = false;
  std::size_t hint = 0;
  for (std::size_t i = 0; i < count; ++i) {
    CAIRN_TRY(const std::string_view name, reader.text_or_bin());
    const std::size_t which = find_key(name, hint);
    if (which == kKeyCount) {
      CAIRN_TRY(const Bytes value, reader.raw());
      item.unknown.emplace_back(name, text_of(value));
      continue;
    }
    hint = which + 1;
    has_path = has_path || which == kPath;
    if (auto status = read_value(which, reader, item); !status) {
      return fail(std::move(status).error().at(fmt::format("item key {}", kKeyNames[which])));
    }
  }
  if (!has_path) return fail(Code::Integrity, "an item has no path");
  sort_by_key(item.unknown);
  return {};
}

Result<std::string> safe_path(const std::string& path) {
  const std::size_t start = std::min(path.find_first_not_of('/'), path.size());
  std::string safe = normalized_path(std::string_view(path).substr(start));
  const bool climbs = safe == ".." || safe.starts_with("../") || path.find("/../") != std::string::npos ||
                      path.starts_with("../") || path.ends_with("/..") || path.find("\\..") != std::string::npos ||
                      path.find("..\\") != std::string::npos;
  if (climbs) {
    return fail(Code::BackupPathTraversal,
                fmt::format("unexpected '..' element in path {}", python_repr(std::string_view(path).substr(start))));
  }
  return safe;
}

Nanoseconds clamp_timestamp(Nanoseconds time) {
  constexpr Nanoseconds kTwoDays = 48 * 3600 * kSecond;  // room for any time zone
  constexpr Nanoseconds kMax = (INT64_MAX - kTwoDays) / kSecond * kSecond;
  return std::clamp<Nanoseconds>(time, 0, kMax);
}

Digest256 hardlink_id(std::uint64_t inode, std::uint64_t device) {
  const std::string text = fmt::format("{}/{}", inode, device);
  return hash::sha256(bytes_of(text));
}

}  // namespace cairn::archive
