#include "ops/kernel_record.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "chunk/kernel_list.h"

namespace cairn::ops {
namespace {

using chunk::Algorithm;

// A cache directory of its own; the defaults of the process are given back.
class KernelRecord : public testing::Test {
 protected:
  KernelRecord() {
    std::string name = testing::TempDir() + "kernelsXXXXXX";
    directory_ = ::mkdtemp(name.data());
    ::setenv("BORG_CACHE_DIR", (directory_ / "cache").c_str(), 1);
    forget_all();  // other tests of this program may have settled some
  }
  ~KernelRecord() override {
    forget_all();
    ::unsetenv("BORG_CACHE_DIR");
    std::filesystem::remove_all(directory_);
  }

  static void forget_all() {
    for (const Algorithm algorithm : {Algorithm::FastCdc, Algorithm::Buzhash64}) forget(algorithm);
  }
  static void forget(Algorithm algorithm) { ASSERT_TRUE(chunk::prefer_kernel(algorithm, "").has_value()); }
  std::filesystem::path file() const { return directory_ / "cache/cairn/kernels"; }
  std::string text() const {
    std::ostringstream content;
    content << std::ifstream(file()).rdbuf();
    return content.str();
  }
  void write(const std::string& content) const {
    std::filesystem::create_directories(file().parent_path());
    std::ofstream(file()) << content;
  }

  std::filesystem::path directory_;
};

TEST_F(KernelRecord, IsWrittenOnceAndThenFollowed) {
  settle_kernel(Algorithm::FastCdc);
  EXPECT_TRUE(chunk::is_kernel_settled(Algorithm::FastCdc));
  EXPECT_EQ(recorded_kernel(text(), Algorithm::FastCdc), chunk::default_kernel(Algorithm::FastCdc));
  // Not even the slowest one is measured again.
  forget(Algorithm::FastCdc);
  const std::string changed = record_kernel(text(), Algorithm::FastCdc, "blockwise");
  write(changed);
  settle_kernel(Algorithm::FastCdc);
  EXPECT_EQ(chunk::default_kernel(Algorithm::FastCdc), "blockwise");
  EXPECT_EQ(text(), changed);
}

TEST_F(KernelRecord, HoldsSeveralChunkersAndMachines) {
  std::string record = "fastcdc quick 9.9.9 quick,scalar another CPU\n";
  record = record_kernel(record, Algorithm::FastCdc, "scalar");
  record = record_kernel(record, Algorithm::Buzhash64, "lanes");
  record = record_kernel(record, Algorithm::FastCdc, "lanes");
  EXPECT_EQ(recorded_kernel(record, Algorithm::FastCdc), "lanes");
  EXPECT_EQ(recorded_kernel(record, Algorithm::Buzhash64), "lanes");
  EXPECT_EQ(recorded_kernel(record, Algorithm::Buzhash), "");
  EXPECT_NE(record.find("another CPU\n"), std::string::npos);
  EXPECT_EQ(std::ranges::count(record, '\n'), 3);
}

TEST_F(KernelRecord, WhatDoesNotFitIsMeasuredAgain) {
  const std::string good = record_kernel("", Algorithm::FastCdc, "blockwise");
  ASSERT_EQ(recorded_kernel(good, Algorithm::FastCdc), "blockwise");
  const std::string changes[] = {
      "",                                       // empty
      good.substr(0, good.size() - 1),          // cut off
      "x" + good,                               // another chunker
      good.substr(0, good.size() - 1) + "x\n",  // another CPU
      "fastcdc quantum" + good.substr(good.find(' ', 8)),
      std::string(20000, 'x') + "\n" + good,  // too long
      std::string(300, '\0'),
  };
  for (const std::string& damaged : changes) {
    write(damaged);
    forget(Algorithm::FastCdc);
    settle_kernel(Algorithm::FastCdc);
    EXPECT_TRUE(chunk::is_kernel_settled(Algorithm::FastCdc));
    EXPECT_EQ(recorded_kernel(text(), Algorithm::FastCdc), chunk::default_kernel(Algorithm::FastCdc)) << damaged;
  }
}

TEST_F(KernelRecord, StaysSmall) {
  std::string record;
  for (int i = 0; i < 200; ++i) record += "fastcdc lanes 0.0.0 lanes CPU number " + std::to_string(i) + "\n";
  record = record_kernel(record, Algorithm::FastCdc, "scalar");
  EXPECT_EQ(recorded_kernel(record, Algorithm::FastCdc), "scalar");
  EXPECT_LE(std::ranges::count(record, '\n'), 64);
}

TEST_F(KernelRecord, NotNeededWhereAVariableDemandsAKernel) {
  ::setenv("BORG_FASTCDC_KERNEL", "scalar", 1);
  settle_kernel(Algorithm::FastCdc);
  ::unsetenv("BORG_FASTCDC_KERNEL");
  EXPECT_FALSE(chunk::is_kernel_settled(Algorithm::FastCdc));
  EXPECT_FALSE(std::filesystem::exists(file()));
}

TEST_F(KernelRecord, AnUnwritableCacheIsNoError) {
  std::ofstream(directory_ / "cache") << "no directory";
  settle_kernel(Algorithm::FastCdc);
  EXPECT_TRUE(chunk::is_kernel_settled(Algorithm::FastCdc));
}

TEST_F(KernelRecord, FixedNeedsNone) {
  settle_kernel(Algorithm::Fixed);
  EXPECT_FALSE(std::filesystem::exists(file()));
}

}  // namespace
}  // namespace cairn::ops
