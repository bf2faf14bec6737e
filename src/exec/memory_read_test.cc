// The same bytes, ends and errors as pread(), whether the gate limits or not.
#include "exec/memory_read.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <unistd.h>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/fd.h"
#include "exec/memory_gate.h"

namespace cairn::exec {
namespace {

class MemoryRead : public testing::TestWithParam<unsigned> {
 protected:
  void SetUp() override { memory_gate().set_policy({.threads = GetParam(), .cap = 8, .small = 0}); }
  void TearDown() override { memory_gate().set_policy(before_); }
  MemoryPolicy before_ = memory_gate().policy();
};
INSTANTIATE_TEST_SUITE_P(Threads, MemoryRead, testing::Values(1U, 24U));

TEST_P(MemoryRead, BytesEndsAndErrors) {
  std::FILE* const file = std::tmpfile();
  ASSERT_NE(file, nullptr);
  const int fd = ::fileno(file);
  ASSERT_EQ(::pwrite(fd, "0123456789", 10, 0), 10);
  std::array<std::byte, 8> out{};
  EXPECT_EQ(read_at(fd, out, 0, 1), 8);
  EXPECT_EQ(std::memcmp(out.data(), "01234567", 8), 0);
  EXPECT_EQ(read_at(fd, out, 8, 1), 2);
  EXPECT_EQ(std::memcmp(out.data(), "89", 2), 0);
  EXPECT_EQ(read_at(fd, out, 10, 1), 0);
  EXPECT_EQ(read_at(fd, out, 1000, 1), 0);
  std::fclose(file);
  const Fd directory(::open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  EXPECT_EQ(read_at(directory.get(), out, 0, 1), -1);
  EXPECT_EQ(errno, EISDIR);
  EXPECT_EQ(read_at(-1, out, 0, 1), -1);
  EXPECT_EQ(errno, EBADF);
  EXPECT_EQ(memory_gate().room(), GetParam() == 1 ? ~0U : 8U);
}

}  // namespace
}  // namespace cairn::exec
