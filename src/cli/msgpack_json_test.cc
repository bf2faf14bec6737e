#include "cli/msgpack_json.h"

#include <gtest/gtest.h>

#include "base/bytes.h"

namespace cairn::cli {
namespace {

using namespace std::string_literals;

std::string shown(std::string_view msgpack, JsonLayout layout = JsonLayout::OneLine, std::size_t level = 0) {
  std::string out;
  msgpack::Reader reader(bytes_of(msgpack));
  const auto status = append_msgpack_json(out, reader, layout, level);
  return status ? out : "error";
}

// The expected texts are those of Python's json.dumps().
TEST(MsgpackJson, EveryKindOfValue) {
  EXPECT_EQ(shown("\xc0"s), "null");
  EXPECT_EQ(shown("\xc2"s), "false");
  EXPECT_EQ(shown("\xc3"s), "true");
  EXPECT_EQ(shown("\xff"s), "-1");
  EXPECT_EQ(shown("\xcf\xff\xff\xff\xff\xff\xff\xff\xff"s), "18446744073709551615");
  EXPECT_EQ(shown("\xcb\x3f\xf8\0\0\0\0\0\0"s), "1.5");
  EXPECT_EQ(shown("\xca\x3f\xc0\0\0"s), "1.5");
  EXPECT_EQ(shown("\xa3\"\xc3\xa4"s), R"("\"\u00e4")");
  EXPECT_EQ(shown("\xa1\xff"s), R"("\udcff")");
  EXPECT_EQ(shown("\xd6\xff\0\0\0\1"s), "1000000000");
}

TEST(MsgpackJson, BytesAreTextOrHexadecimal) {
  EXPECT_EQ(shown("\xc4\2ab"s), R"("ab")");
  EXPECT_EQ(shown("\xc4\2a\xff"s), R"("\u007f61ff")");
  EXPECT_EQ(shown("\xc4\2\x7f\x61"s), R"("\u007f7f61")");
  EXPECT_EQ(shown("\xc4\0"s), R"("")");
}

TEST(MsgpackJson, ListsAndMaps) {
  EXPECT_EQ(shown("\x90"s), "[]");
  EXPECT_EQ(shown("\x80"s, JsonLayout::Indented), "{}");
  EXPECT_EQ(shown("\x92\1\x81\xa1k\x90"s), R"([1, {"k": []}])");
  EXPECT_EQ(shown("\x81\5\xc4\1k"s), R"({"5": "k"})");
  EXPECT_EQ(shown("\x82\xa1k\x92\1\2\xa1l\x80"s, JsonLayout::Indented, 1),
            "{\n        \"k\": [\n            1,\n            2\n        ],\n        \"l\": {}\n    }");
}

TEST(MsgpackJson, DamageIsAnError) {
  for (const std::string& bad : {""s, "\x92\1"s, "\x81\x90\1"s, "\xd4\5\1"s, std::string(1000, '\x91') + "\1"}) {
    EXPECT_EQ(shown(bad), "error");
  }
}

}  // namespace
}  // namespace cairn::cli
