#include "ops/chunk_list_diff.h"

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

namespace cairn::ops {
namespace {

// A letter is a chunk; its size is its place in the alphabet.
std::vector<archive::ChunkRef> chunks(std::string_view letters) {
  std::vector<archive::ChunkRef> list;
  for (const char letter : letters) {
    archive::ChunkRef chunk{.id = {}, .size = static_cast<std::uint32_t>(letter - 'a' + 1)};
    chunk.id.raw[0] = static_cast<std::byte>(letter);
    list.push_back(chunk);
  }
  return list;
}

ByteChange change(std::string_view before, std::string_view after) {
  return compare_chunk_lists(chunks(before), chunks(after));
}

TEST(ChunkListDiff, EqualListsHaveNoChange) {
  EXPECT_EQ(change("", ""), (ByteChange{0, 0}));
  EXPECT_EQ(change("abcabc", "abcabc"), (ByteChange{0, 0}));
}

TEST(ChunkListDiff, OneEmptyListIsAllNewOrAllGone) {
  EXPECT_EQ(change("", "abc"), (ByteChange{6, 0}));
  EXPECT_EQ(change("abc", ""), (ByteChange{0, 6}));
}

TEST(ChunkListDiff, CommonEndsDoNotCount) {
  EXPECT_EQ(change("abxcd", "abyzcd"), (ByteChange{25 + 26, 24}));
  EXPECT_EQ(change("aa", "aaa"), (ByteChange{1, 0}));
}

TEST(ChunkListDiff, WhatMovedCountsOnceOnEitherSide) {
  // Both runs are equally long: the one that begins first in the old list stays.
  EXPECT_EQ(change("ab", "ba"), (ByteChange{2, 2}));
  EXPECT_EQ(change("abcde", "cdeab"), (ByteChange{3, 3}));
}

TEST(ChunkListDiff, PartsBesideTheLongestRunAreMatchedToo) {
  EXPECT_EQ(change("xaybbbbcz", "maqbbbbcn"), (ByteChange{13 + 17 + 14, 24 + 25 + 26}));
}

TEST(ChunkListDiff, ListsThatRepeatOneChunkTooOftenAreMultisets) {
  std::vector<archive::ChunkRef> before = chunks("x");
  std::vector<archive::ChunkRef> after = chunks("y");
  const auto zeros = chunks("a");
  before.insert(before.end(), 2000, zeros.front());
  after.insert(after.end(), 1500, zeros.front());
  before.push_back(chunks("p").front());
  after.push_back(chunks("q").front());
  EXPECT_EQ(compare_chunk_lists(before, after), (ByteChange{25 + 17, 24 + 16 + 500}));
}

}  // namespace
}  // namespace cairn::ops
