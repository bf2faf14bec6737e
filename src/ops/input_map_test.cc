#include "ops/input_map.h"

#include <gtest/gtest.h>

#include <random>

namespace cairn::ops {
namespace {

constexpr RangeState kData = RangeState::Data, kZero = RangeState::Zero, kSame = RangeState::Same;

std::string why_not(std::string_view text, bool allow_same = true) {
  const auto map = parse_input_map(text, "m", allow_same);
  return map ? "parsed" : map.error().message();
}

TEST(InputMap, LinesAreStartLengthAndState) {
  const auto map =
      parse_input_map("# made by hand\n\n0 4096 data # first\r\n0x1000\t0x1_000   zero\r  8192 +1 same  ", "m", true);
  ASSERT_TRUE(map) << map.error().text();
  const InputMap expected{{0, 4096, kData}, {4096, 4096, kZero}, {8192, 1, kSame}};
  EXPECT_EQ(*map, expected);
  EXPECT_EQ(covered_bytes(*map), 8193U);
  EXPECT_EQ(not_covered(*map, 5).message(), "input map covers 8193 bytes, but the input has 5 bytes");
}

TEST(InputMap, NumbersAreThoseOfPython) {
  for (const char* good : {"16", "+16", "1_6", "0x10", "0X1_0", "0x_10", "0o20", "0O2_0", "0b10000", "0B1_0000"}) {
    const auto map = parse_input_map(std::string("00 ") + good + " data", "m", false);
    ASSERT_TRUE(map) << good;
    EXPECT_EQ(covered_bytes(*map), 16U) << good;
  }
  for (const char* bad : {"016", "1__6", "_16", "16_", "0x", "0x_", "0xg", "0b2", "0o8", "+", "1.0", "1e3", "0_16",
                          "9223372036854775808", "0x8000000000000000"}) {
    EXPECT_EQ(why_not(std::string("0 ") + bad + " data"),
              std::string("m:1: invalid input map line: expected 'START LENGTH STATE', got: '0 ") + bad + " data'");
  }
}

TEST(InputMap, WhatIsWrongIsSaidWithItsLine) {
  EXPECT_EQ(why_not(""), "m: empty input map");
  EXPECT_EQ(why_not("# nothing\n\n"), "m: empty input map");
  EXPECT_EQ(why_not("\n0 5"), "m:2: invalid input map line: expected 'START LENGTH STATE', got: '0 5'");
  EXPECT_EQ(why_not("0 5 data more"),
            "m:1: invalid input map line: expected 'START LENGTH STATE', got: '0 5 data more'");
  EXPECT_EQ(why_not("a'b 5 data"), "m:1: invalid input map line: expected 'START LENGTH STATE', got: \"a'b 5 data\"");
  EXPECT_EQ(why_not("0 5 Data"), "m:1: invalid input map line: invalid state 'Data' (expected: data, same, zero)");
  EXPECT_EQ(why_not("0 5 same", false), "m:1: invalid input map line: invalid state 'same' (expected: data, zero)");
  EXPECT_EQ(why_not("0 0 data"), "m:1: invalid input map line: LENGTH must be positive");
  EXPECT_EQ(why_not("0 -5 data"), "m:1: invalid input map line: LENGTH must be positive");
  EXPECT_EQ(why_not("5 5 data"),
            "m:1: invalid input map line: ranges must be sorted, contiguous and start at offset 0 "
            "(expected START 0, got 5)");
  EXPECT_EQ(why_not("0 5 data\r\n4 5 data"),
            "m:2: invalid input map line: ranges must be sorted, contiguous and start "
            "at offset 0 (expected START 5, got 4)");
  EXPECT_EQ(why_not("0 9223372036854775807 data\n9223372036854775807 1 zero"),
            "m:2: invalid input map line: expected 'START LENGTH STATE', got: '9223372036854775807 1 zero'");
}

// Reference chunks of the given sizes; the first byte of the id is the number.
std::vector<archive::ChunkRef> chunks_of(std::initializer_list<std::uint32_t> sizes) {
  std::vector<archive::ChunkRef> chunks;
  for (const std::uint32_t size : sizes) {
    chunks.push_back({.id = {}, .size = size});
    chunks.back().id.raw[0] = static_cast<std::byte>(chunks.size());
  }
  return chunks;
}

// "reuse 1 2; read 30+10z" ...
std::string shown(const std::vector<InputPart>& parts) {
  std::string text;
  for (const InputPart& part : parts) {
    if (!text.empty()) text += "; ";
    text += part.ranges.empty() ? "reuse" : "read";
    for (const auto& chunk : part.reused) text += ' ' + std::to_string(std::to_integer<int>(chunk.id.raw[0]));
    for (const InputRange& range : part.ranges) {
      text +=
          ' ' + std::to_string(range.start) + '+' + std::to_string(range.length) + (range.state == kZero ? "z" : "");
    }
  }
  return text;
}

std::string plan(const InputMap& map, std::initializer_list<std::uint32_t> sizes, int missing = 0) {
  return shown(plan_input(map, chunks_of(sizes), [&](const archive::ChunkRef& chunk) {
    return std::to_integer<int>(chunk.id.raw[0]) != missing;
  }));
}

TEST(InputMap, WholeChunksInSameRangesAreReused) {
  EXPECT_EQ(plan({{0, 100, kSame}}, {50, 50}), "reuse 1 2");
  EXPECT_EQ(plan({{0, 100, kSame}}, {50, 50}, 1), "read 0+50; reuse 2");
  EXPECT_EQ(plan({{0, 100, kSame}}, {50, 50}, 2), "reuse 1; read 50+50");
  EXPECT_EQ(plan({{0, 100, kSame}}, {}), "read 0+100");
  EXPECT_EQ(plan({{0, 40, kSame}, {40, 60, kSame}}, {50, 50}), "reuse 1 2");
  EXPECT_EQ(plan({{0, 40, kData}, {40, 60, kSame}}, {50, 50}), "read 0+40 40+10; reuse 2");
  EXPECT_EQ(plan({{0, 40, kSame}, {40, 20, kZero}, {60, 40, kSame}}, {30, 20, 20, 30}),
            "reuse 1; read 30+10 40+20z 60+10; reuse 4");
  EXPECT_EQ(plan({{0, 100, kData}}, {50, 50}), "read 0+100");
  EXPECT_EQ(plan({{0, 60, kZero}, {60, 40, kData}}, {}), "read 0+60z 60+40");
}

TEST(InputMap, AReferenceOfAnotherLengthIsUsedAsFarAsItGoes) {
  EXPECT_EQ(plan({{0, 100, kSame}}, {60, 60}), "reuse 1; read 60+40");
  EXPECT_EQ(plan({{0, 100, kSame}}, {60, 40, 60}), "reuse 1 2");
  EXPECT_EQ(plan({{0, 100, kSame}}, {200}), "read 0+100");
  EXPECT_EQ(plan({{0, 100, kSame}}, {60}), "reuse 1; read 60+40");
  EXPECT_EQ(plan({{0, 50, kSame}, {50, 50, kZero}}, {50}), "reuse 1; read 50+50z");
}

// Whatever the sizes: the parts cover the input once, and a reused chunk stands where it was, in `same` ranges only.
TEST(InputMap, PartsCoverTheInput) {
  std::mt19937 random(7);
  for (int round = 0; round < 500; ++round) {
    InputMap map;
    std::uint64_t size = 0;
    for (int i = 0; i < 8; ++i) {
      const std::uint64_t length = 1 + random() % 40;
      map.push_back({size, length, static_cast<RangeState>(random() % 3)});
      size += length;
    }
    std::vector<archive::ChunkRef> reference;
    for (int i = 0; i < 20; ++i) {
      reference.push_back({.id = {}, .size = static_cast<std::uint32_t>(random() % 20)});
      reference.back().id.raw[0] = static_cast<std::byte>(i);
    }
    const int missing = static_cast<int>(random() % 30);
    const auto state_at = [&](std::uint64_t offset) {
      return std::ranges::find_if(map, [&](const InputRange& r) { return offset < r.start + r.length; })->state;
    };
    std::uint64_t covered = 0;
    for (const InputPart& part : plan_input(map, reference, [&](const archive::ChunkRef& chunk) {
           return std::to_integer<int>(chunk.id.raw[0]) != missing;
         })) {
      ASSERT_NE(part.reused.empty(), part.ranges.empty());
      for (const auto& chunk : part.reused) {
        const int number = std::to_integer<int>(chunk.id.raw[0]);
        std::uint64_t begin = 0;
        for (int i = 0; i < number; ++i) begin += reference[static_cast<std::size_t>(i)].size;
        ASSERT_EQ(begin, covered);
        ASSERT_NE(number, missing);
        for (std::uint64_t at = begin; at < begin + chunk.size; ++at) ASSERT_EQ(state_at(at), kSame);
        covered += chunk.size;
      }
      for (const InputRange& range : part.ranges) {
        ASSERT_EQ(range.start, covered);
        for (std::uint64_t at = range.start; at < range.start + range.length; ++at)
          ASSERT_EQ(state_at(at), range.state);
        covered += range.length;
      }
    }
    ASSERT_EQ(covered, size);
  }
}

}  // namespace
}  // namespace cairn::ops
