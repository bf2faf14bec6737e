#include "fs/scratch_log.h"

#include <gtest/gtest.h>

#include <string>

namespace cairn::fs {
namespace {

TEST(ScratchLog, IsReadAnywhereWhileItGrows) {
  for (const std::size_t buffer : {1U, 64U, 100'000U}) {
    ScratchLog log(buffer);
    std::string whole;
    for (int i = 0; i < 300; ++i) {
      const std::string text = std::to_string(i * 7919);
      EXPECT_EQ(log.size(), whole.size());
      ASSERT_TRUE(log.append(bytes_of(text)));
      whole += text;
      // From the file, from the buffer, and across.
      for (const std::size_t from : {std::size_t{0}, whole.size() / 2, whole.size() - 1, whole.size()}) {
        std::string part(std::min<std::size_t>(whole.size() - from, 150), '\0');
        ASSERT_TRUE(log.read(from, std::as_writable_bytes(std::span(part))));
        EXPECT_EQ(part, whole.substr(from, part.size()));
      }
    }
  }
}

TEST(ScratchLog, ReadingBeyondTheEndIsIntegrity) {
  ScratchLog log(2);
  ASSERT_TRUE(log.append(bytes_of("abc")));
  std::string two(2, '\0');
  for (const std::uint64_t offset : {std::uint64_t{2}, std::uint64_t{3}, std::uint64_t{4}, UINT64_MAX}) {
    const auto status = log.read(offset, std::as_writable_bytes(std::span(two)));
    ASSERT_FALSE(status) << offset;
    EXPECT_EQ(status.error().code(), Code::Integrity);
  }
}

}  // namespace
}  // namespace cairn::fs
