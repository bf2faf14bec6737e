#include "fs/timestamp_slack.h"

#include <fcntl.h>

#include <gtest/gtest.h>

#include "base/fd.h"

namespace cairn::fs {
namespace {

constexpr Nanoseconds kStart = 1'000'000 * kSecond + 500'000'000;

TEST(TimestampSlack, WhatIsUnknownIsCoarse) {
  const Fd proc(::open("/proc/self/status", O_RDONLY | O_CLOEXEC));
  ASSERT_TRUE(proc);
  EXPECT_EQ(timestamp_slack(proc.get()), kCoarseSlack);
  EXPECT_EQ(timestamp_slack(-1), kCoarseSlack);
}

TEST(TimestampSlack, TheSlackItselfIsNotSettled) {
  EXPECT_FALSE(is_settled(kStart - kFineSlack, kStart, kFineSlack));
  EXPECT_TRUE(is_settled(kStart - kFineSlack - 1, kStart, kFineSlack));
  EXPECT_FALSE(is_settled(kStart + kSecond, kStart, kFineSlack));
}

TEST(TimestampSlack, WholeSecondsMayBeRounded) {
  const Nanoseconds whole = kStart - kStart % kSecond;
  EXPECT_FALSE(is_settled(whole - 2 * kSecond, kStart, kFineSlack));
  EXPECT_TRUE(is_settled(whole - 3 * kSecond, kStart, kFineSlack));
  EXPECT_TRUE(is_settled(whole - 2 * kSecond + 1, kStart, kFineSlack));
}

}  // namespace
}  // namespace cairn::fs
