#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>

#include "hash/blake3.h"

namespace cairn::hash {
namespace {

constexpr const char* kVariable = "BORG_BLAKE3_MT_THRESHOLD";

class Blake3Threshold : public testing::Test {
 protected:
  ~Blake3Threshold() override { ::unsetenv(kVariable); }

  static std::size_t accepted(const char* value) {
    ::setenv(kVariable, value, 1);
    const Result<std::size_t> got = blake3_split_threshold();
    EXPECT_TRUE(got) << value;
    return got ? *got : 1;
  }
  static std::string refused(const char* value) {
    ::setenv(kVariable, value, 1);
    const Result<std::size_t> got = blake3_split_threshold();
    EXPECT_FALSE(got) << value;
    if (got) return {};
    EXPECT_EQ(got.error().code(), Code::Error);
    return got.error().message();
  }
};

TEST_F(Blake3Threshold, DefaultIs256Kib) {
  ::unsetenv(kVariable);
  EXPECT_EQ(blake3_split_threshold().value(), 262'144U);
}

TEST_F(Blake3Threshold, AcceptsWhatPythonDoes) {
  EXPECT_EQ(accepted("0"), 0U);
  EXPECT_EQ(accepted("-0"), 0U);
  EXPECT_EQ(accepted("1"), 1024U);
  EXPECT_EQ(accepted(" 64 \n"), 65'536U);
  EXPECT_EQ(accepted("+007"), 7168U);
  EXPECT_EQ(accepted("1_000"), 1'024'000U);
}

TEST_F(Blake3Threshold, HugeIsNever) {
  EXPECT_GT(accepted("99999999999999999999999999"), std::numeric_limits<std::size_t>::max() / 2);
  EXPECT_GT(accepted("18446744073709551615"), std::numeric_limits<std::size_t>::max() / 2);
}

TEST_F(Blake3Threshold, RefusesWhatIsNoInteger) {
  EXPECT_EQ(refused("abc"), "BORG_BLAKE3_MT_THRESHOLD must be an integer (KiB), but is: 'abc'");
  EXPECT_EQ(refused(""), "BORG_BLAKE3_MT_THRESHOLD must be an integer (KiB), but is: ''");
  for (const char* bad : {" ", "-", "+", "1.5", "1k", "0x10", "1 2", "_1", "1_", "1__0", "--1", "- 1"}) {
    EXPECT_NE(refused(bad).find("must be an integer"), std::string::npos) << bad;
  }
}

TEST_F(Blake3Threshold, RefusesNegative) {
  EXPECT_EQ(refused("-1"), "BORG_BLAKE3_MT_THRESHOLD must not be negative, but is: -1");
  EXPECT_EQ(refused(" -010 "), "BORG_BLAKE3_MT_THRESHOLD must not be negative, but is: -10");
}

}  // namespace
}  // namespace cairn::hash
