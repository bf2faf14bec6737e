#include "measure/benchmark.h"

#include <gtest/gtest.h>

#include <sys/stat.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "hash/sha256.h"
#include "measure/benchmark_data.h"
#include "measure/benchmark_words.h"

namespace cairn::measure {
namespace {

TEST(BenchmarkWords, ChecksumsOfTheSoup) {
  Buffer soup(2097152);
  fill_with_words(soup);
  EXPECT_EQ(text_of(soup.view(0, 64)), "object in\nof segment hash to index\ncontent archive directory key");
  EXPECT_EQ(hash::sha256(soup.view(0, 131072)).hex(),
            "b76c0adb661aa2efb40e9737330e49e6b99fabdd2dad56603aaa4c4fbb49247e");
  EXPECT_EQ(hash::sha256(soup).hex(), "0307612ee0d00df00d430f22e2f51c840617b5de3efade7cdf68a5660197ce77");
}

TEST(BenchmarkWords, NoiseFillsToTheLastByte) {
  Buffer noise(1027);
  std::memset(noise.data(), 0, noise.size());
  fill_with_noise(noise, 1);
  std::size_t zeros = 0;
  for (const std::byte byte : noise.view()) zeros += byte == std::byte{0} ? 1 : 0;
  EXPECT_LT(zeros, 30U);
  Buffer other(1027);
  fill_with_noise(other, 2);
  EXPECT_NE(text_of(noise), text_of(other));
}

class BenchmarkData : public testing::Test {
 protected:
  BenchmarkData() {
    std::string name = (std::filesystem::temp_directory_path() / "benchmark-data-XXXXXX").string();
    root_ = ::mkdtemp(name.data());
  }
  ~BenchmarkData() override { std::filesystem::remove_all(root_); }

  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name) << text;
  }
  static std::string read(const std::string& path, std::size_t most = kMostBenchmarkData) {
    const Result<Buffer> data = read_benchmark_data(path, {}, most);
    return data ? std::string(text_of(*data)) : "error " + data.error().message();
  }

  std::filesystem::path root_;
};

TEST_F(BenchmarkData, FilesOfADirectoryComeBeforeItsSubdirectoriesByName) {
  write("b", "2");
  write("a", "1");
  write("c/z", "5");
  write("c/k/x", "6");
  write("Z", "0");
  write("B/y", "3");
  write("c.d/q", "7");
  EXPECT_EQ(read(root_), "0123567");
  EXPECT_EQ(read(root_.string() + "/"), "0123567");
  EXPECT_EQ(read(root_ / "c"), "56");
  EXPECT_EQ(read(root_ / "c/z"), "5");
}

TEST_F(BenchmarkData, LinksToFilesCountAndNothingElseSpecialDoes) {
  write("real/file", "data");
  std::filesystem::create_directory(root_ / "tree");
  std::filesystem::create_symlink(root_ / "real/file", root_ / "tree/link");
  std::filesystem::create_symlink(root_ / "nowhere", root_ / "tree/dangling");
  std::filesystem::create_directory_symlink(root_ / "real", root_ / "tree/directory");
  ASSERT_EQ(::mkfifo((root_ / "tree/pipe").c_str(), 0600), 0);
  EXPECT_EQ(read(root_ / "tree"), "data");
  EXPECT_EQ(read(root_ / "tree/directory"), "data");
  const std::string pipe = root_ / "tree/pipe";
  EXPECT_EQ(read(pipe), "error --data: '" + pipe + "' is not a file or directory.");
}

TEST_F(BenchmarkData, StopsAtTheLimit) {
  write("a", "12345");
  write("b", "67890");
  write("c/d", "never");
  EXPECT_EQ(read(root_, 7), "1234567");
  EXPECT_EQ(read(root_, 10), "1234567890");
  EXPECT_EQ(read(root_ / "a", 3), "123");
}

TEST_F(BenchmarkData, Errors) {
  write("empty/file", "");
  const std::string missing = root_ / "missing";
  EXPECT_EQ(read(missing), "error --data: '" + missing + "' is not a file or directory.");
  const std::string empty = root_ / "empty";
  EXPECT_EQ(read(empty), "error --data: no data found at '" + empty + "'.");
  EXPECT_EQ(read(empty + "/file"), "error --data: no data found at '" + empty + "/file'.");
  EXPECT_EQ(read_benchmark_data(missing, {}).error().code(), Code::Command);
}

TEST_F(BenchmarkData, EndsWhenAsked) {
  write("a", "12345");
  const Result<Buffer> data = read_benchmark_data(root_, [] { return true; });
  ASSERT_FALSE(data);
  EXPECT_EQ(data.error().code(), Code::Interrupted);
}

std::vector<BenchmarkRow> rows_of(BenchmarkSection section, const BenchmarkSettings& settings) {
  std::vector<BenchmarkRow> rows;
  const Status done = benchmark_section(section, settings, [&](const BenchmarkRow& row) {
    rows.push_back({.label = row.label,
                    .algorithm = row.algorithm,
                    .parameters = row.parameters,
                    .buffer_size = row.buffer_size,
                    .size = row.size,
                    .compressed_size = row.compressed_size,
                    .count = row.count,
                    .seconds = row.seconds});
    if (row.error) rows.back().error = row.error->clone();
  });
  EXPECT_TRUE(done);
  return rows;
}

TEST(Benchmark, EveryRowHasItsBytesAndItsTime) {
  const BenchmarkSettings quick{.quick = true, .threads = 2};
  std::size_t count = 0;
  for (const BenchmarkSection section : {BenchmarkSection::Chunkers, BenchmarkSection::Hashes,
                                         BenchmarkSection::Encryption, BenchmarkSection::Compression}) {
    for (const BenchmarkRow& row : rows_of(section, quick)) {
      EXPECT_FALSE(row.error) << row.label;
      EXPECT_EQ(row.size, section == BenchmarkSection::Compression ? 3 * 131072U : 131072U) << row.label;
      EXPECT_GT(row.seconds, 0) << row.label;
      EXPECT_TRUE(row.label.starts_with(row.algorithm)) << row.label;
      ++count;
    }
  }
  EXPECT_EQ(count, 7U + 3 + 4 + 14);
  const std::vector<BenchmarkRow> items = rows_of(BenchmarkSection::Msgpack, quick);
  ASSERT_EQ(items.size(), 1U);
  EXPECT_EQ(items[0].count, 1000U);
}

TEST(Benchmark, TheSoupCompressesAboutFourfold) {
  for (const BenchmarkRow& row : rows_of(BenchmarkSection::Compression, {.quick = true})) {
    const double ratio = static_cast<double>(row.size) / static_cast<double>(row.compressed_size);
    if (row.label == "zstd,3 (128kiB)") {
      EXPECT_NEAR(ratio, 4.15, 0.1);
    }
    EXPECT_GT(ratio, 2) << row.label;
    EXPECT_LT(ratio, 6) << row.label;
  }
}

TEST_F(BenchmarkData, OwnDataIsCutIntoWholeBuffers) {
  write("a", std::string(3 * 131072 + 5, 'x'));
  for (const BenchmarkRow& row : rows_of(BenchmarkSection::Compression, {.quick = true, .data_path = root_.string()})) {
    EXPECT_EQ(row.size, 3 * 131072U) << row.label;
    EXPECT_LT(row.compressed_size, 10000U) << row.label;
  }
  write("a", "short");
  for (const BenchmarkRow& row : rows_of(BenchmarkSection::Compression, {.quick = true, .data_path = root_.string()})) {
    EXPECT_EQ(row.size, 5U) << row.label;
    EXPECT_EQ(row.compressed_size, 5U) << row.label;
    EXPECT_EQ(row.buffer_size, 131072U) << row.label;
  }
}

TEST(Benchmark, AnInterruptionEndsTheSection) {
  int rows = 0;
  bool stop = false;
  const Status done =
      benchmark_section(BenchmarkSection::Hashes, {.quick = true, .stop = [&] { return stop; }}, [&](const auto&) {
        ++rows;
        stop = true;
      });
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code(), Code::Interrupted);
  EXPECT_EQ(rows, 1);
}

class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) { ::setenv(name, value, 1); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() { ::unsetenv(name_); }

 private:
  const char* name_;
};

TEST(Benchmark, ABadVariableFailsItsRowsOnly) {
  {
    const Variable bad("BORG_BLAKE3_MT_THRESHOLD", "many");
    const std::vector<BenchmarkRow> rows = rows_of(BenchmarkSection::Hashes, {.quick = true});
    ASSERT_EQ(rows.size(), 3U);
    ASSERT_TRUE(rows[0].error);
    EXPECT_EQ(rows[0].error->message(), "BORG_BLAKE3_MT_THRESHOLD must be an integer (KiB), but is: 'many'");
    EXPECT_FALSE(rows[1].error);
    EXPECT_FALSE(rows[2].error);
  }
  const Variable bad("BORG_FASTCDC_KERNEL", "abacus");
  for (const BenchmarkRow& row : rows_of(BenchmarkSection::Chunkers, {.quick = true})) {
    EXPECT_EQ(row.error.has_value(), row.algorithm == "fastcdc") << row.label;
  }
}

}  // namespace
}  // namespace cairn::measure
