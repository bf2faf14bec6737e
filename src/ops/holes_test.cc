#include "ops/holes.h"

#include <gtest/gtest.h>

namespace cairn::ops {
namespace {

constexpr Nanoseconds kNow = 1'000'000 * kSecond;

fs::Stat file(std::uint64_t size, std::uint64_t blocks, Nanoseconds mtime, Nanoseconds ctime) {
  fs::Stat stat;
  stat.size = size;
  stat.blocks = blocks;
  stat.mtime = mtime;
  stat.ctime = ctime;
  return stat;
}

TEST(Holes, AreAskedForWhereThereAreSome) {
  const Nanoseconds old = kNow - 100 * kSecond;
  EXPECT_TRUE(asks_for_holes(file(1U << 20U, 8, old, old), false, kNow));
  EXPECT_FALSE(asks_for_holes(file(1U << 20U, 2048, old, old), false, kNow));
  EXPECT_FALSE(asks_for_holes(file(1000, 1, old, old), false, kNow)) << "the last block is not full";
}

TEST(Holes, AreNotAskedForRightAfterAChange) {
  const Nanoseconds old = kNow - 100 * kSecond;
  const Nanoseconds recent = kNow - 10 * kSecond;
  EXPECT_FALSE(asks_for_holes(file(1U << 20U, 8, recent, old), false, kNow));
  EXPECT_FALSE(asks_for_holes(file(1U << 20U, 8, old, recent), false, kNow)) << "the modification time can be set back";
}

TEST(Holes, AreAlwaysAskedForWithSparse) { EXPECT_TRUE(asks_for_holes(file(1U << 20U, 2048, kNow, kNow), true, kNow)); }

}  // namespace
}  // namespace cairn::ops
