#include "fs/unnamed_file.h"

#include <sys/stat.h>

#include <string>

#include <gtest/gtest.h>

namespace cairn::fs {
namespace {

TEST(UnnamedFile, SpillingAppendsAndEmptiesTheBuffer) {
  Fd file;
  std::uint64_t size = 0;
  Buffer buffer;
  for (const std::string text : {"first ", "second ", "third"}) {
    buffer.append(bytes_of(text));
    ASSERT_TRUE(spill(file, size, buffer));
    EXPECT_EQ(buffer.size(), 0U);
  }
  EXPECT_EQ(size, 18U);
  std::string whole(30, '\0');
  const auto count = read_some(file, 0, std::as_writable_bytes(std::span(whole)));
  ASSERT_TRUE(count);
  EXPECT_EQ(whole.substr(0, *count), "first second third");
}

TEST(UnnamedFile, IsForTheOwnerAloneAndHasNoName) {
  Fd file;
  std::uint64_t size = 0;
  Buffer buffer;
  buffer.append(bytes_of("x"));
  ASSERT_TRUE(spill(file, size, buffer));
  struct stat status{};
  ASSERT_EQ(::fstat(file.get(), &status), 0);
  EXPECT_EQ(status.st_nlink, 0U);
  EXPECT_EQ(status.st_mode & 0777U, 0600U);
}

TEST(UnnamedFile, ReadingAtTheEndIsIntegrity) {
  Fd file;
  std::uint64_t size = 0;
  Buffer buffer;
  buffer.append(bytes_of("x"));
  ASSERT_TRUE(spill(file, size, buffer));
  std::string one(1, '\0');
  const auto count = read_some(file, size, std::as_writable_bytes(std::span(one)));
  ASSERT_FALSE(count);
  EXPECT_EQ(count.error().code(), Code::Integrity);
}

}  // namespace
}  // namespace cairn::fs
