// The serialised hash table that Borg uses for index fragments and its shared caches ("BORGHASH").
//
//   0 "BORGHASH"  8 version 1 u32le  12 length n of the JSON u32le  16 JSON  16+n rows of key[32] || value
//
// Reading accepts any order of rows and any JSON spacing; writing uses Borg's JSON and its bucket order, so equal sets
// of entries give equal bytes. capacity is always at least twice the number of entries, else Borg cannot read the
// table. Errors    Integrity. Source    docs/format (repository, section 6.2 and 9).
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/buffer.h"
#include "base/bytes.h"
#include "base/error.h"

namespace cairn::repo {

struct TableLayout {
  std::string_view type_name;                 // "ChunkIndexEntry"
  std::string_view format_name;               // "ChunkIndexEntryFormatT"
  std::span<const std::string_view> fields;   // "flags", "size" ...
  std::span<const std::string_view> formats;  // "I", "I", "32s" ...
  std::size_t value_size;
  bool grows = false;  // Borg adds entries to a table that it has read, so it needs room: see capacity_for
};

extern const TableLayout kChunkIndexLayout;        // value: flags, size, pack_id, obj_offset, obj_size (48 bytes)
extern const TableLayout kCheckedPacksLayout;      // value: timestamp u64, result u8 (9 bytes)
extern const TableLayout kArchiveReferenceLayout;  // value: plaintext size u32 (4 bytes)

constexpr std::size_t kTableKeySize = 32;

// Appends a table of `rows` (each kTableKeySize + value_size bytes, any order, keys distinct).
void encode_table(const TableLayout& layout, Bytes rows, Buffer& out);

// The rows of a table, as a view into `bytes`. Everything that could be wrong is checked; the length must be exact.
Result<Bytes> decode_table(const TableLayout& layout, Bytes bytes);

}  // namespace cairn::repo
