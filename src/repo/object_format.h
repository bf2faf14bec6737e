// The bytes of a repository object: its header and its metadata map.
//
//   0 "BORG_OBJ"  8 version 2  9 id[32]  41 meta_size u32le  45 data_size u32le  49 metadata slot, data slot
//
// Errors    Integrity, in the words of the specification.
// Source    docs/format (repository, section 3; crypto, section 5; compression, section 2).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/buffer.h"
#include "base/bytes.h"
#include "base/error.h"
#include "compress/compressor.h"

namespace cairn::repo {

constexpr std::size_t kObjectHeaderSize = 49;
constexpr std::size_t kMaxObjectSize = 20971479;  // MAX_DATA_SIZE, the whole object
constexpr std::size_t kMaxMetaSlot = 65536;

struct ObjectHeader {
  ChunkId id;
  std::uint32_t meta_size = 0;
  std::uint32_t data_size = 0;
  std::uint64_t object_size() const { return kObjectHeaderSize + std::uint64_t{meta_size} + data_size; }
};

void encode_header(const ObjectHeader& header, std::byte* out);  // kObjectHeaderSize bytes
// Checks magic, version and the limits; `bytes` may be longer than the header.
Result<ObjectHeader> parse_header(Bytes bytes);

// What is authenticated with a slot: header[0:41] || 'M' or 'D' || id.
constexpr std::size_t kSlotAadSize = 41 + 1 + 32;
std::array<std::byte, kSlotAadSize> slot_aad(const ChunkId& stored_id, char slot, const ChunkId& wanted_id);

// Types: 'A' archive, 'C' item pointers, 'S' item stream, 'F' file content.
struct ObjectMeta {
  char type = 'F';
  std::optional<std::uint64_t> size;  // plaintext; absent in objects that Borg's `auto` wrote
  compress::Facts facts;
};

void encode_meta(const ObjectMeta& meta, Buffer& out);  // appends; keys in Borg's order
Result<ObjectMeta> decode_meta(Bytes bytes);

}  // namespace cairn::repo
