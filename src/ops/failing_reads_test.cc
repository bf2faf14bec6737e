#include "ops/failing_reads.h"

#include <cerrno>

#include <gtest/gtest.h>

namespace cairn::ops {
namespace {

FailingReads reads(const std::string& map, int block_size = 10) {
  chunk::Params params;
  params.algorithm = chunk::Algorithm::Fail;
  params.block_size = block_size;
  params.fail_map = map;
  return FailingReads::make(params).value();
}

TEST(FailingReads, TheMapRunsAcrossFilesAndItsLastLetterRepeats) {
  FailingReads map = reads("rrEeR");
  EXPECT_TRUE(map.read(0, "empty"));
  EXPECT_TRUE(map.read(11, "first"));
  const auto failed = map.read(20, "second");
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().os_error(), EIO);
  EXPECT_FALSE(map.read(20, "second again"));
  EXPECT_TRUE(map.read(20, "second once more"));
  EXPECT_TRUE(map.read(1000, "all others"));
}

TEST(FailingReads, OtherLettersAreRefused) {
  chunk::Params params;
  params.block_size = 10;
  for (const char* map : {"", "rx", "r e"}) {
    params.fail_map = map;
    EXPECT_EQ(FailingReads::make(params).error().code(), Code::Usage) << map;
  }
  params.fail_map = "r";
  params.block_size = 0;
  EXPECT_EQ(FailingReads::make(params).error().code(), Code::Usage);
}

}  // namespace
}  // namespace cairn::ops
