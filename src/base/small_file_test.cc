#include "base/small_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

namespace cairn {
namespace {

class SmallFile : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = "/tmp/cairn-small-file-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    directory_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  std::string path() const { return directory_ + "/file"; }
  std::string content(std::size_t most = 1000) const {
    const Fd file(::open(path().c_str(), O_RDONLY | O_CLOEXEC));
    const auto text = read_up_to(file, most, path());
    return text ? *text : text.error().message();
  }
  std::size_t names() const {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(directory_)) ++count;
    return count;
  }

  std::string directory_;
};

TEST_F(SmallFile, IsReplacedAsAWhole) {
  for (const Synced synced : {Synced::No, Synced::Yes}) {
    ASSERT_TRUE(replace_file(path(), "a longer text", synced));
    EXPECT_EQ(content(), "a longer text");
    const std::array<Bytes, 3> parts = {bytes_of("short"), Bytes(), bytes_of("er")};
    ASSERT_TRUE(replace_file(path(), parts, synced));
    EXPECT_EQ(content(), "shorter");
    EXPECT_EQ(names(), 1U);
  }
  struct stat status{};
  ASSERT_EQ(::stat(path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
}

TEST_F(SmallFile, IsReadUpToALimit) {
  ASSERT_TRUE(replace_file(path(), "0123456789", Synced::No));
  EXPECT_EQ(content(0), "");
  EXPECT_EQ(content(9), "012345678");
  EXPECT_EQ(content(10), "0123456789");
}

TEST_F(SmallFile, AnErrorNamesTheFileAndLeavesNothing) {
  std::filesystem::create_directory(path());
  const auto status = replace_file(path(), "text", Synced::No);
  ASSERT_FALSE(status);
  EXPECT_NE(status.error().message().find(path()), std::string::npos);
  EXPECT_EQ(names(), 1U);
  EXPECT_NE(content().find(path()), std::string::npos);  // a directory cannot be read
  EXPECT_FALSE(replace_file(directory_ + "/missing/file", "text", Synced::No));
}

}  // namespace
}  // namespace cairn
