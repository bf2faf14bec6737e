#include "measure/benchmark_files.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

namespace cairn::measure {
namespace {

class BenchmarkFiles : public testing::Test {
 protected:
  BenchmarkFiles() {
    std::string name = (std::filesystem::temp_directory_path() / "benchmark-files-XXXXXX").string();
    parent_ = ::mkdtemp(name.data());
  }
  ~BenchmarkFiles() override { std::filesystem::remove_all(parent_); }

  static std::string content(const SampleFiles& files, int number) {
    std::ifstream file(files.directory() + "/file_" + std::to_string(number), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  bool is_empty() const { return std::filesystem::is_empty(parent_); }

  std::string parent_;
};

TEST_F(BenchmarkFiles, ZerosAreThereUntilTheObjectGoes) {
  {
    auto made = SampleFiles::make(parent_, {"Z", 3, 1'500'000, false}, {});
    ASSERT_TRUE(made);
    const SampleFiles files = std::move(*made);
    EXPECT_TRUE(files.directory().starts_with(parent_ + "/borg-test-data-"));
    for (int i = 0; i < 3; ++i) EXPECT_EQ(content(files, i), std::string(1'500'000, '\0'));
    EXPECT_EQ(content(files, 3), "");
  }
  EXPECT_TRUE(is_empty());
}

TEST_F(BenchmarkFiles, RandomContentNeverRepeats) {
  const auto first = SampleFiles::make(parent_, {"R", 2, 2'100'000, true}, {});
  const auto second = SampleFiles::make(parent_ + "/", {"R", 2, 2'100'000, true}, {});
  ASSERT_TRUE(first && second);
  std::set<std::string> pieces;
  for (const auto* files : {&*first, &*second}) {
    for (int i = 0; i < 2; ++i) {
      const std::string text = content(*files, i);
      ASSERT_EQ(text.size(), 2'100'000U);
      for (std::size_t at = 0; at + 4096 <= text.size(); at += 4096) pieces.insert(text.substr(at, 4096));
    }
  }
  EXPECT_EQ(pieces.size(), 4U * (2'100'000 / 4096));
}

TEST_F(BenchmarkFiles, AnInterruptionLeavesNothingBehind) {
  int asked = 0;
  const auto made = SampleFiles::make(parent_, {"Z", 5, 10, false}, [&] { return ++asked > 2; });
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code(), Code::Interrupted);
  EXPECT_TRUE(is_empty());
}

TEST_F(BenchmarkFiles, AMissingDirectoryIsTheSystemsError) {
  const auto made = SampleFiles::make(parent_ + "/none", {"Z", 1, 1, false}, {});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().message(), "[Errno 2] No such file or directory: '" + parent_ + "/none'");
}

}  // namespace
}  // namespace cairn::measure
