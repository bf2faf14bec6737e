#include "base/error.h"

#include <cerrno>

#include <gtest/gtest.h>

namespace cairn {
namespace {

Result<int> half(int n) {
  if (n % 2 != 0) return fail(Code::Error, "odd");
  return n / 2;
}
Result<int> quarter(int n) {
  CAIRN_TRY(const int once, half(n));
  CAIRN_TRY(const int twice, half(once));
  return twice;
}

TEST(Error, TryReturnsTheFirstFailure) {
  EXPECT_EQ(*quarter(8), 2);
  ASSERT_FALSE(quarter(6));
  EXPECT_EQ(quarter(6).error().message(), "odd");
}

TEST(Error, PlacesAreListedInnermostFirst) {
  const Error error = Error(Code::Integrity, "bad tag").at("object 1").at("pack 2");
  EXPECT_EQ(error.text(), "bad tag (object 1; pack 2)");
}

TEST(Error, OsErrorsHaveBorgsWordingAndACode) {
  const Error error = os_error(ENOENT, "/nope");
  EXPECT_EQ(error.message(), "[Errno 2] No such file or directory: '/nope'");
  EXPECT_EQ(error.code(), Code::NotFound);
  EXPECT_EQ(os_error(ENOSPC, "").code(), Code::NoSpace);
}

}  // namespace
}  // namespace cairn
