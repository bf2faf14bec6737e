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

}  // namespace
}  // namespace cairn::archive
