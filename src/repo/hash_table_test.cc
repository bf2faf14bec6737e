#include "repo/hash_table.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "repo/chunk_index.h"
#include "repo/index_fragments.h"

namespace cairn::repo {
namespace {

std::string header(std::string_view json) {
  std::string out = "BORGHASH";
  out += std::string("\x01\0\0\0", 4);
  for (unsigned i = 0; i < 4; ++i) out += static_cast<char>((json.size() >> (8 * i)) & 0xff);
  return out + std::string(json);
}

Buffer rows_of(std::initializer_list<const char*> keys) {
  Buffer rows;
  std::uint32_t n = 0;
  for (const char* key : keys) append_row({*ChunkId::from_hex(key), {PackId{}, n, n + 1}}, rows), ++n;
  return rows;
}

constexpr const char* kA = "176803c800000000000000000000000000000000000000000000000000000001";
constexpr const char* kB = "f273c30100000000000000000000000000000000000000000000000000000002";
constexpr const char* kC = "a48bb33a00000000000000000000000000000000000000000000000000000003";
constexpr const char* kD = "e12083ca00000000000000000000000000000000000000000000000000000004";

// The example of docs/format (repository, section 19): buckets 0, 1, 2 and 2 -> 3.
TEST(HashTable, WritesBorgsHeaderAndBucketOrder) {
  Buffer out;
  encode_table(kChunkIndexLayout, rows_of({kD, kC, kB, kA}), out);
  const std::string json =
      R"({"key_size": 32, "value_size": 48, "byte_order": "little", "value_type_name": "ChunkIndexEntry", )"
      R"("value_type_fields": ["flags", "size", "pack_id", "obj_offset", "obj_size"], )"
      R"("value_format_name": "ChunkIndexEntryFormatT", )"
      R"("value_format_fields": ["flags", "size", "pack_id", "obj_offset", "obj_size"], )"
      R"("value_format": ["I", "I", "32s", "I", "I"], "capacity": 8, "used": 4})";
  EXPECT_EQ(json.size(), 370U);
  ASSERT_EQ(out.size(), 16U + 370 + 4 * 80);
  EXPECT_EQ(text_of(out.view(0, 16 + 370)), header(json));
  const std::size_t rows = 16 + 370;
  EXPECT_EQ(to_hex(out.view(rows, 32)), kA);
  EXPECT_EQ(to_hex(out.view(rows + 80, 32)), kB);
  EXPECT_EQ(to_hex(out.view(rows + 160, 32)), kC);
  EXPECT_EQ(to_hex(out.view(rows + 240, 32)), kD);
  EXPECT_EQ(to_hex(out.view(rows + 32, 8)), "0000000100000000");
}

// Borg adds its own results to what we wrote; with fewer than four places to start with, its arrays never grow.
TEST(HashTable, TablesThatBorgGoesOnFillingHaveRoom) {
  auto capacity = [](std::size_t count) {
    Buffer rows;
    for (std::size_t i = 0; i < count; ++i) {
      std::array<std::byte, kTableKeySize + 9> row{};
      store_be<std::uint32_t>(row.data(), static_cast<std::uint32_t>(i));
      rows.append(row);
    }
    Buffer out;
    encode_table(kCheckedPacksLayout, rows, out);
    const std::string_view text = text_of(out);
    const std::size_t at = text.find("\"capacity\": ") + 12;
    return std::string(text.substr(at, text.find(',', at) - at));
  };
  EXPECT_EQ(capacity(0), "1000");
  EXPECT_EQ(capacity(1), "1000");
  EXPECT_EQ(capacity(500), "1000");
  EXPECT_EQ(capacity(501), "2000");
  EXPECT_EQ(capacity(2445), "8000");
}

TEST(HashTable, EqualSetsGiveEqualBytes) {
  Buffer one;
  Buffer two;
  Buffer rows = rows_of({kA, kB, kC, kD});
  encode_table(kChunkIndexLayout, rows, one);
  Buffer turned;
  for (std::size_t i = 4; i-- > 0;) turned.append(rows.view(i * 80, 80));
  encode_table(kChunkIndexLayout, turned, two);
  EXPECT_EQ(text_of(one), text_of(two));
}

TEST(HashTable, AnEmptyTableHasRoomForAThousand) {
  Buffer out;
  encode_table(kChunkIndexLayout, {}, out);
  EXPECT_EQ(out.size(), 389U);
  const auto rows = decode_table(kChunkIndexLayout, out);
  ASSERT_TRUE(rows);
  EXPECT_TRUE(rows->empty());
}

const std::string kFields = R"("value_format_fields":["timestamp","result"],"value_format":["Q","B"])";

TEST(HashTable, AcceptsForeignSpacingAndOrder) {
  const std::string json =
      R"({ "used":1,"capacity" : 2,)" + kFields +
      R"(,"byte_order":"little","value_size":9,"key_size":32,"value_type_name":"Other","more":null})";
  const std::string table = header(json) + std::string(41, 'x');
  const auto rows = decode_table(kCheckedPacksLayout, bytes_of(table));
  ASSERT_TRUE(rows);
  EXPECT_EQ(rows->size(), 41U);
}

TEST(HashTable, RefusesWhatDoesNotFit) {
  auto json = [](const char* key_size, const char* value_size, const char* order, const std::string& fields,
                 const char* used) {
    return fmt::format(R"({{"key_size":{},"value_size":{},"byte_order":"{}",{},"capacity":8,"used":{}}})", key_size,
                       value_size, order, fields, used);
  };
  auto accepted = [](const std::string& table) {
    return decode_table(kCheckedPacksLayout, bytes_of(table)).has_value();
  };
  const std::string row(41, 'x');
  const std::string good = header(json("32", "9", "little", kFields, "1")) + row;
  ASSERT_TRUE(accepted(good));
  for (std::size_t size = 0; size < good.size(); ++size) EXPECT_FALSE(accepted(good.substr(0, size))) << size;
  EXPECT_FALSE(accepted(good + "x"));
  EXPECT_FALSE(accepted(good + row));
  EXPECT_FALSE(accepted(header(json("31", "9", "little", kFields, "1")) + row));
  EXPECT_FALSE(accepted(header(json("32", "8", "little", kFields, "1")) + row));
  EXPECT_FALSE(accepted(header(json("32", "9", "big", kFields, "1")) + row));
  EXPECT_FALSE(accepted(header(json("32", "9", "little", kFields, "-1")) + row));
  EXPECT_FALSE(accepted(header(json("32", "9", "little", kFields, "9223372036854775807")) + row));
  EXPECT_FALSE(accepted(
      header(json("32", "9", "little", R"("value_format_fields":["time","result"],"value_format":["Q","B"])", "1")) +
      row));
  EXPECT_FALSE(accepted(header(json("32", "9", "little",
                                    R"("value_format_fields":["timestamp","result"],"value_format":["Q","b"])", "1")) +
                        row));
  std::string version = good;
  version[8] = 2;
  EXPECT_FALSE(accepted(version));
  std::string magic = good;
  magic[0] = 'b';
  EXPECT_FALSE(accepted(magic));
  std::string length = good;
  length[15] = '\x7f';
  EXPECT_FALSE(accepted(length));
}

}  // namespace
}  // namespace cairn::repo
