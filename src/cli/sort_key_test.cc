#include "cli/sort_key.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "archive/python_text.h"

namespace cairn::cli {
namespace {

int sign(int value) { return value < 0 ? -1 : value > 0 ? 1 : 0; }
int sign(std::strong_ordering order) { return order < 0 ? -1 : order > 0 ? 1 : 0; }

std::string key_of(std::int64_t number, bool descending = false) {
  SortKey key;
  key.descending(descending);
  key.number(number);
  return key.bytes();
}
std::string key_of(const std::string& text, bool descending = false) {
  SortKey key;
  key.descending(descending);
  key.text(text);
  return key.bytes();
}

TEST(SortKey, NumbersSortAsNumbers) {
  using Limits = std::numeric_limits<std::int64_t>;
  const std::vector<std::int64_t> numbers = {Limits::min(), -256, -1, 0, 1, 255, 256, Limits::max()};
  for (const std::int64_t a : numbers) {
    for (const std::int64_t b : numbers) {
      EXPECT_EQ(sign(key_of(a).compare(key_of(b))), sign(a <=> b)) << a << " " << b;
      EXPECT_EQ(sign(key_of(a, true).compare(key_of(b, true))), sign(b <=> a)) << a << " " << b;
    }
  }
}

TEST(SortKey, TextsSortByCodePointsEvenIfTheyAreNone) {
  const std::vector<std::string> texts = {"",
                                          std::string(1, '\0'),
                                          "\x01",
                                          "\x02",
                                          "a",
                                          "a\x01",
                                          std::string("a\0b", 3),
                                          "ab",
                                          "b",
                                          "\x7f",
                                          "\x80",
                                          "\xff",
                                          "\xc3\xa9",
                                          "\xe4\xb8\xad",
                                          "\xee\x80\x80",
                                          "\xf0\x9f\x98\x80",
                                          "\xed\xb2\x80",
                                          "a\xff",
                                          "a\xf0\x9f\x98\x80"};
  for (const std::string& a : texts) {
    for (const std::string& b : texts) {
      const int expected = sign(archive::compare_code_points(a, b));
      EXPECT_EQ(sign(key_of(a).compare(key_of(b))), expected) << a << " " << b;
      EXPECT_EQ(sign(key_of(a, true).compare(key_of(b, true))), -expected) << a << " " << b;
    }
  }
}

TEST(SortKey, TheFirstFieldDecidesEvenWhereTextsAreBeginningsOfOthers) {
  const auto key = [](const std::string& text, std::int64_t number) {
    SortKey made;
    made.text(text);
    made.descending(true);
    made.number(number);
    return made.bytes();
  };
  std::vector<std::string> keys = {key("a", 2), key("a", 1), key("a\x01", 9), key("ab", 9), key("b", 3)};
  EXPECT_TRUE(std::ranges::is_sorted(keys));
}

TEST(SortKey, AMarkSaysTheDirection) {
  EXPECT_EQ(sort_field("size").name, "size");
  EXPECT_FALSE(sort_field("size").is_descending);
  EXPECT_EQ(sort_field("<size").name, "size");
  EXPECT_FALSE(sort_field("<size").is_descending);
  EXPECT_EQ(sort_field(">size").name, "size");
  EXPECT_TRUE(sort_field(">size").is_descending);
}

}  // namespace
}  // namespace cairn::cli
