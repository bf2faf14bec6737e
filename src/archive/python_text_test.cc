#include "archive/python_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace cairn::archive {
namespace {

TEST(PythonText, TextsAreOrderedByCodePoints) {
  // A byte that is not UTF-8 counts as U+DC00 and up: behind most letters, before the largest code points.
  const std::vector<std::string> ordered = {"",         "A",    "a",    "ab",           "a\x80",
                                            "\xc3\xa9", "\x80", "\xff", "\xee\x80\x80", "\xf0\x9f\x98\x80"};
  std::vector<std::string> texts = ordered;
  std::ranges::reverse(texts);
  std::ranges::sort(texts, [](const std::string& a, const std::string& b) { return compare_code_points(a, b) < 0; });
  EXPECT_EQ(texts, ordered);
  EXPECT_EQ(compare_code_points("same", "same"), std::strong_ordering::equal);
}

TEST(PythonText, BytesAsPythonShowsThem) {
  EXPECT_EQ(python_bytes_repr(""), "b''");
  EXPECT_EQ(python_bytes_repr("a b~"), "b'a b~'");
  EXPECT_EQ(python_bytes_repr(std::string_view("\0\xff\x7f\n\r\t\\", 7)), R"(b'\x00\xff\x7f\n\r\t\\')");
  EXPECT_EQ(python_bytes_repr("it's"), R"(b"it's")");
  EXPECT_EQ(python_bytes_repr("'\""), R"(b'\'"')");
}

}  // namespace
}  // namespace cairn::archive
