#include "ops/known_members.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <string>

namespace cairn::ops {
namespace {

using Found = KnownMembers::Found;

archive::Item file_of(std::uint32_t size) {
  archive::Item item;
  item.mode = S_IFREG | 0600U;
  item.chunks.emplace();
  if (size > 0) item.chunks->push_back({.id = {}, .size = size});
  return item;
}

Found found(const KnownMembers& known, const std::string& name, archive::Item& item) {
  const auto result = known.find(name, item);
  EXPECT_TRUE(result);
  return result ? *result : Found::Nothing;
}

// All in memory, and nearly nothing.
class KnownMembersTest : public testing::TestWithParam<std::pair<std::size_t, std::size_t>> {
 protected:
  KnownMembers known{GetParam().first, GetParam().second};
};

TEST_P(KnownMembersTest, FindsEveryNameWithItsContent) {
  for (std::uint32_t i = 0; i < 5000; ++i) ASSERT_TRUE(known.remember("name" + std::to_string(i), file_of(i)));
  for (std::uint32_t i = 0; i < 5000; ++i) {
    archive::Item link;
    link.mode = S_IFREG | 0644U;
    ASSERT_EQ(found(known, "name" + std::to_string(i), link), Found::Content) << i;
    EXPECT_EQ(link.size, i);
    ASSERT_TRUE(link.chunks);
    EXPECT_EQ(link.chunks->size(), i > 0 ? 1U : 0U);
    EXPECT_EQ(link.mode, S_IFREG | 0644U);
  }
  archive::Item link;
  EXPECT_EQ(found(known, "name5000", link), Found::Nothing);
  EXPECT_EQ(found(known, "", link), Found::Nothing);
}

TEST_P(KnownMembersTest, TheLastOneOfANameCounts) {
  for (std::uint32_t round = 1; round <= 3; ++round) {
    for (std::uint32_t i = 0; i < 1500; ++i)
      ASSERT_TRUE(known.remember("name" + std::to_string(i), file_of(10 * i + round)));
  }
  for (std::uint32_t i = 0; i < 1500; ++i) {
    archive::Item link;
    ASSERT_EQ(found(known, "name" + std::to_string(i), link), Found::Content);
    EXPECT_EQ(link.size, 10 * i + 3);
  }
}

TEST_P(KnownMembersTest, SpecialFilesGiveWhatTheyAreAndSkippedOnesSayIt) {
  archive::Item symlink;
  symlink.mode = S_IFLNK | 0777U;
  symlink.target = "somewhere";
  ASSERT_TRUE(known.remember("link", symlink));
  ASSERT_TRUE(known.remember_skipped("skipped"));
  archive::Item with_digests = file_of(3);
  with_digests.digests.emplace();
  with_digests.digests->emplace_back("sha256", "raw");
  ASSERT_TRUE(known.remember("digests", with_digests));
  for (int i = 0; i < 3000; ++i) ASSERT_TRUE(known.remember("other" + std::to_string(i), file_of(1)));

  archive::Item link;
  link.mode = S_IFREG | 0640U;
  EXPECT_EQ(found(known, "link", link), Found::Special);
  EXPECT_EQ(link.mode, S_IFLNK | 0640U);
  EXPECT_EQ(link.target, "somewhere");
  EXPECT_FALSE(link.chunks);
  EXPECT_EQ(found(known, "skipped", link), Found::Skipped);
  archive::Item other;
  EXPECT_EQ(found(known, "digests", other), Found::Content);
  EXPECT_EQ(other.digests, with_digests.digests);
}

INSTANTIATE_TEST_SUITE_P(Memory, KnownMembersTest,
                         testing::Values(std::pair(KnownMembers::kMostSlots, KnownMembers::kRecordBuffer),
                                         std::pair(std::size_t{512}, std::size_t{100})));

}  // namespace
}  // namespace cairn::ops
