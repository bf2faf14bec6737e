#include <gtest/gtest.h>

#include <thread>

#include "fs/node.h"

namespace cairn::fs {
namespace {

TEST(Names, RootIsRootBothWays) {
  EXPECT_EQ(user_name(0), "root");
  EXPECT_EQ(group_name(0), "root");
  EXPECT_EQ(user_id("root"), 0);
  EXPECT_EQ(group_id("root"), 0);
}

TEST(Names, UnknownOnesAreEmptyOrMinusOne) {
  EXPECT_EQ(user_name(3'999'999'999U), "");
  EXPECT_EQ(group_name(3'999'999'999U), "");
  EXPECT_EQ(user_id("no such user here"), -1);
  EXPECT_EQ(group_id(""), -1);
  EXPECT_EQ(user_id(std::string("root\0x", 6)), -1);
}

TEST(Names, ManyThreadsSeeOneStringPerId) {
  constexpr int kIds = 3000;  // more than there are buckets
  std::vector<std::vector<const std::string*>> seen(4);
  std::vector<std::thread> threads;
  for (auto& mine : seen) {
    threads.emplace_back([&mine] {
      for (std::uint32_t id = 0; id < kIds; ++id) mine.push_back(&user_name(id));
      for (std::uint32_t id = 0; id < kIds; ++id) mine.push_back(&user_name(id));
      mine.push_back(nullptr);
      if (user_id("root") != 0) mine.clear();
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& mine : seen) EXPECT_EQ(mine, seen[0]);
  EXPECT_EQ(seen[0].size(), 2U * kIds + 1);
}

}  // namespace
}  // namespace cairn::fs
