#include "base/utf8.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace cairn {
namespace {

std::string encoded(char32_t point) {
  std::string out;
  append_utf8(out, point);
  return out;
}

TEST(Utf8, EveryCodePointComesBack) {
  for (char32_t point = 0; point <= 0x10ffff; ++point) {
    const std::string text = encoded(point) + "x";
    const bool is_surrogate = point >= 0xd800 && point < 0xe000;
    ASSERT_EQ(utf8_sequence(text), is_surrogate ? 0 : text.size() - 1) << std::hex << static_cast<unsigned>(point);
    ASSERT_EQ(utf8_code_point(text), point);
  }
}

TEST(Utf8, TheEdgesOfEachLength) {
  EXPECT_EQ(encoded(0), std::string(1, '\0'));
  EXPECT_EQ(encoded(0x7f), "\x7f");
  EXPECT_EQ(encoded(0x80), "\xc2\x80");
  EXPECT_EQ(encoded(0x7ff), "\xdf\xbf");
  EXPECT_EQ(encoded(0x800), "\xe0\xa0\x80");
  EXPECT_EQ(encoded(0xffff), "\xef\xbf\xbf");
  EXPECT_EQ(encoded(0x10000), "\xf0\x90\x80\x80");
  EXPECT_EQ(encoded(0x10ffff), "\xf4\x8f\xbf\xbf");
  EXPECT_EQ(encoded(0xdc80), "\xed\xb2\x80");
}

TEST(Utf8, WhatIsNoSequence) {
  for (const std::string_view text :
       {"", "\x80",
        "\xbf"
        "a",
        "\xc0\x80", "\xc1\xbf", "\xc3",
        "\xc3"
        "a",
        "\xe0\x9f\xbf", "\xe4\xb8",
        "\xe4\xb8"
        "a",
        "\xed\xa0\x80", "\xf0\x8f\xbf\xbf", "\xf0\x9f\x98", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff"}) {
    EXPECT_EQ(utf8_sequence(text), 0U) << testing::PrintToString(text);
    EXPECT_EQ(is_utf8(text), text.empty()) << testing::PrintToString(text);
  }
}

TEST(Utf8, AsciiIsCountedToTheFirstByteThatIsNone) {
  for (std::size_t length = 0; length < 40; ++length) {
    const std::string plain(length, 'a');
    EXPECT_EQ(ascii_length(plain), length);
    EXPECT_EQ(ascii_length(plain + "\x80" + plain), length);
  }
}

TEST(Utf8, OneBadByteAnywhereIsSeen) {
  EXPECT_TRUE(is_utf8(""));
  for (std::size_t front = 0; front < 20; ++front) {
    const std::string text = std::string(front, 'a') + "\xc3\xa9" + std::string(front, 'b') + "\xf0\x9f\x98\x80";
    EXPECT_TRUE(is_utf8(text));
    EXPECT_FALSE(is_utf8(text + "\xff"));
    EXPECT_FALSE(is_utf8("\xff" + text));
    EXPECT_FALSE(is_utf8(text.substr(0, text.size() - 1)));
  }
}

}  // namespace
}  // namespace cairn
