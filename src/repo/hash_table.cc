#include "repo/hash_table.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <vector>

#include <fmt/format.h>

#include "repo/flat_json.h"

namespace cairn::repo {
namespace {

constexpr std::string_view kMagic = "BORGHASH";
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kPrefixSize = 16;
constexpr std::size_t kLeastCapacity = 1000;

constexpr std::string_view kIndexFields[] = {"flags", "size", "pack_id", "obj_offset", "obj_size"};
constexpr std::string_view kIndexFormats[] = {"I", "I", "32s", "I", "I"};
constexpr std::string_view kCheckedFields[] = {"timestamp", "result"};
constexpr std::string_view kCheckedFormats[] = {"Q", "B"};
constexpr std::string_view kReferenceFields[] = {"size"};
constexpr std::string_view kReferenceFormats[] = {"I"};

std::string json_list(std::span<const std::string_view> texts) {
  std::string out = "[";
  for (std::size_t i = 0; i < texts.size(); ++i) out += fmt::format("{}\"{}\"", i > 0 ? ", " : "", texts[i]);
  return out + "]";
}

std::string header_json(const TableLayout& layout, std::size_t capacity, std::size_t used) {
  const std::string fields = json_list(layout.fields);
  return fmt::format(
      "{{\"key_size\": {}, \"value_size\": {}, \"byte_order\": \"little\", \"value_type_name\": \"{}\", "
      "\"value_type_fields\": {}, \"value_format_name\": \"{}\", \"value_format_fields\": {}, \"value_format\": {}, "
      "\"capacity\": {}, \"used\": {}}}",
      kTableKeySize, layout.value_size, layout.type_name, fields, layout.format_name, fields, json_list(layout.formats),
      capacity, used);
}

// Fragments are written with two buckets an entry, as Borg does. A table that Borg goes on filling has the capacity
// that it would have grown to: its arrays start at half of it and grow by 1.3 rounded down, so a small one is full for
// ever.
std::size_t capacity_for(const TableLayout& layout, std::size_t used) {
  if (!layout.grows) return used == 0 ? kLeastCapacity : 2 * used;
  std::size_t capacity = kLeastCapacity;
  while (used > capacity / 2) capacity *= 2;
  return capacity;
}

// The order of an open-addressing table with linear probing, keys inserted in ascending order.
std::vector<std::uint32_t> bucket_order(Bytes rows, std::size_t row_size, std::size_t capacity) {
  const std::size_t used = rows.size() / row_size;
  std::vector<std::uint32_t> ascending(used);
  std::iota(ascending.begin(), ascending.end(), 0U);
  std::sort(ascending.begin(), ascending.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::memcmp(rows.data() + a * row_size, rows.data() + b * row_size, kTableKeySize) < 0;
  });
  constexpr std::uint32_t kFree = ~0U;
  std::vector<std::uint32_t> buckets(capacity, kFree);
  for (const std::uint32_t row : ascending) {
    std::size_t bucket = load_be<std::uint32_t>(rows.data() + row * row_size) % capacity;
    while (buckets[bucket] != kFree) bucket = bucket + 1 == capacity ? 0 : bucket + 1;
    buckets[bucket] = row;
  }
  std::erase(buckets, kFree);
  return buckets;
}

}  // namespace

const TableLayout kChunkIndexLayout{"ChunkIndexEntry", "ChunkIndexEntryFormatT", kIndexFields, kIndexFormats, 48};
const TableLayout kCheckedPacksLayout{"Entry", "EntryFormatT", kCheckedFields, kCheckedFormats, 9, true};
const TableLayout kArchiveReferenceLayout{
    "ArchiveReferenceEntry", "ArchiveReferenceEntryFormatT", kReferenceFields, kReferenceFormats, 4, true};

void encode_table(const TableLayout& layout, Bytes rows, Buffer& out) {
  const std::size_t row_size = kTableKeySize + layout.value_size;
  const std::size_t used = rows.size() / row_size;
  const std::size_t capacity = capacity_for(layout, used);
  const std::string json = header_json(layout, capacity, used);
  std::array<std::byte, kPrefixSize> prefix;
  std::memcpy(prefix.data(), kMagic.data(), kMagic.size());
  store_le<std::uint32_t>(prefix.data() + 8, kVersion);
  store_le<std::uint32_t>(prefix.data() + 12, static_cast<std::uint32_t>(json.size()));
  out.reserve(out.size() + prefix.size() + json.size() + rows.size());
  out.append(prefix);
  out.append(bytes_of(json));
  for (const std::uint32_t row : bucket_order(rows, row_size, capacity)) {
    out.append(rows.subspan(row * row_size, row_size));
  }
}

Result<Bytes> decode_table(const TableLayout& layout, Bytes bytes) {
  auto corrupt = [](std::string_view what) { return fail(Code::Integrity, fmt::format("hash table: {}", what)); };
  if (bytes.size() < kPrefixSize) return corrupt("shorter than its header");
  if (text_of(bytes.first(kMagic.size())) != kMagic) return corrupt("bad magic");
  if (load_le<std::uint32_t>(bytes.data() + 8) != kVersion) return corrupt("unknown version");
  const std::size_t json_size = load_le<std::uint32_t>(bytes.data() + 12);
  if (json_size > bytes.size() - kPrefixSize) return corrupt("header longer than the table");
  CAIRN_TRY(const FlatJson json, FlatJson::parse(text_of(bytes.subspan(kPrefixSize, json_size))));
  const std::size_t row_size = kTableKeySize + layout.value_size;
  if (json.integer("key_size") != static_cast<std::int64_t>(kTableKeySize)) return corrupt("unexpected key size");
  if (json.integer("value_size") != static_cast<std::int64_t>(layout.value_size))
    return corrupt("unexpected value size");
  if (json.text("byte_order") != "little") return corrupt("unexpected byte order");
  auto equals = [](const std::vector<std::string>* list, std::span<const std::string_view> wanted) {
    return list != nullptr && std::ranges::equal(*list, wanted);
  };
  if (!equals(json.list("value_format_fields"), layout.fields)) return corrupt("unexpected fields");
  if (!equals(json.list("value_format"), layout.formats)) return corrupt("unexpected formats");
  const auto used = json.integer("used");
  const Bytes rows = bytes.subspan(kPrefixSize + json_size);
  if (!used || *used < 0 || rows.size() % row_size != 0 ||
      rows.size() / row_size != static_cast<std::uint64_t>(*used)) {
    return corrupt("length does not match the number of entries");
  }
  return rows;
}

}  // namespace cairn::repo
