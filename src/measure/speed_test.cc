// The measuring functions deliver a number for every point, and end when they are asked to. No numbers are asserted.
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <set>

#include "hash/blake3.h"
#include "measure/blake3_speed.h"
#include "measure/kernel_speed.h"
#include "measure/reader_speed.h"
#include "measure/ready_pool.h"

namespace cairn::measure {
namespace {

TEST(ReadyPool, HasAllThreadsParked) {
  for (const unsigned threads : {1U, 2U, 5U}) {
    ReadyPool pool(threads);
    pool.wait_until_parked();
    EXPECT_EQ(pool.spare().helpers() + 1, threads);
  }
}

TEST(ReadyPool, RunsTogetherOnDifferentThreads) {
  ReadyPool pool(4);
  for (unsigned n = 1; n <= 4; ++n) {
    std::atomic<unsigned> inside = 0;
    std::atomic<unsigned> calls = 0;
    pool.run_together(n, [&](unsigned) {
      ++calls;
      ++inside;
      while (inside.load() < n) std::this_thread::yield();  // would hang on fewer than n threads
    });
    EXPECT_EQ(calls.load(), n);
  }
}

TEST(Blake3Meter, MeasuresBothAndPutsTheThresholdBack) {
  hash::set_blake3_split_threshold(12345);
  {
    Blake3Meter meter(2);
    const auto point = meter.measure(128, {.runs = 3, .mib_per_run = 1, .seconds_per_run = 0.0001});
    ASSERT_TRUE(point);
    EXPECT_EQ(point->kib, 128U);
    EXPECT_GT(point->single, 0);
    EXPECT_GT(point->many, 0);
    EXPECT_EQ(point->ratio, point->many / point->single);
    EXPECT_GE(point->noise, 0);
    EXPECT_LE(point->noise, 1);
  }
}

TEST(Blake3Meter, StopsWhenAskedTo) {
  Blake3Meter meter(2, [] { return true; });
  const auto point = meter.measure(4, {.runs = 1, .mib_per_run = 1});
  ASSERT_FALSE(point);
  EXPECT_EQ(point.error().code(), Code::Interrupted);
}

TEST(MeasureKernels, CoversEveryChunkerThatCuts) {
  std::vector<ChunkerKernels> found;
  ASSERT_TRUE(measure_kernels({.runs = 1, .seconds_per_run = 0}, {}, [](std::string_view) {}, found));
  std::set<std::string> names;
  for (const ChunkerKernels& chunker : found) {
    names.insert(chunker.chunker);
    ASSERT_FALSE(chunker.rates.empty()) << chunker.chunker;
    EXPECT_FALSE(chunker.best().empty());
    for (const KernelRate& rate : chunker.rates) {
      ASSERT_EQ(rate.runs.size(), 1U);
      EXPECT_GT(rate.runs[0], 0);
    }
  }
  EXPECT_EQ(names,
            (std::set<std::string>{"fastcdc", "buzhash64", "buzhash", "toeplitz-aes", "rabin-aes", "goldilocks-aes"}));
}

TEST(MeasureKernels, StopsWhenAskedTo) {
  std::vector<ChunkerKernels> found;
  int left = 2;
  const Status status = measure_kernels(
      {.runs = 1, .seconds_per_run = 0}, [&left] { return left-- == 0; }, [](std::string_view) {}, found);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code(), Code::Interrupted);
  EXPECT_FALSE(found.empty());
}

class Readers : public ::testing::Test {
 protected:
  Readers() {
    std::string name = (std::filesystem::temp_directory_path() / "cairn-readers-XXXXXX").string();
    directory_ = ::mkdtemp(name.data());
    std::filesystem::create_directories(directory_ + "/a/b");
  }
  ~Readers() override { std::filesystem::remove_all(directory_); }
  Status measure(const std::string& directory, std::function<bool()> stop = {}) {
    return measure_readers(directory, {.runs = 2, .seconds_per_run = 0.01}, stop, [](std::string_view) {}, found_);
  }
  std::string directory_;
  ReaderSpeed found_;
};

TEST_F(Readers, ReadTheFilesBelowADirectory) {
  for (const char* name : {"/one", "/a/two", "/a/b/three"})
    std::ofstream(directory_ + name) << std::string(100'000, 'x');
  std::ofstream(directory_ + "/empty");
  std::filesystem::create_symlink("one", directory_ + "/link");
  ASSERT_TRUE(measure(directory_));
  EXPECT_EQ(found_.files, 3U);
  EXPECT_EQ(found_.bytes, 300'000U);
  ASSERT_EQ(found_.points.size(), 4U);
  for (const ReaderPoint& point : found_.points) {
    ASSERT_EQ(point.runs.size(), 2U);
    for (const double rate : point.runs) EXPECT_GT(rate, 0);
  }
  EXPECT_TRUE(found_.best());
}

TEST_F(Readers, NothingToReadIsAnError) {
  EXPECT_FALSE(measure(directory_));
  EXPECT_FALSE(measure(directory_ + "/not there"));
}

TEST_F(Readers, StopWhenAskedTo) {
  std::ofstream(directory_ + "/one") << "text";
  int left = 3;
  const Status status = measure(directory_, [&left] { return left-- <= 0; });
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code(), Code::Interrupted);
}

TEST(ReaderSpeed, BestIsTheFewestThatSuffice) {
  ReaderSpeed speed;
  EXPECT_FALSE(speed.best());
  speed.points = {{.readers = 1, .runs = {50}}, {.readers = 2, .runs = {96}}, {.readers = 4, .runs = {100}}};
  EXPECT_EQ(speed.best(), 2U);
  EXPECT_FALSE(speed.limit());
  speed.points.push_back({.readers = 8, .runs = {60}});
  EXPECT_EQ(speed.limit(), 2U);
  EXPECT_TRUE(speed.is_meaningful());
  speed.cached = 0.5;
  EXPECT_FALSE(speed.is_meaningful());
}

}  // namespace
}  // namespace cairn::measure
