#include "fs/scratch_file.h"

#include <gtest/gtest.h>

#include <string>

namespace cairn::fs {
namespace {

std::string numbers(std::size_t size) {
  std::string text;
  for (std::size_t i = 0; text.size() < size; ++i) text += std::to_string(i) + ",";
  text.resize(size);
  return text;
}

TEST(ScratchFile, GivesBackWhatWasWrittenWhateverTheSizes) {
  for (const std::size_t size : {0U, 1U, 63U, 64U, 65U, 1000U, 100'000U}) {
    for (const std::size_t piece : {1U, 7U, 64U, 5000U}) {
      ScratchFile file(64);
      const std::string text = numbers(size);
      for (std::size_t at = 0; at < size; at += piece) ASSERT_TRUE(file.write(bytes_of(text.substr(at, piece))));
      ASSERT_TRUE(file.rewind());
      EXPECT_EQ(file.size(), size);
      std::string back;
      while (!file.at_end()) {
        std::string part(std::min<std::size_t>(3 * piece, size - back.size()), '\0');
        ASSERT_TRUE(file.read(std::as_writable_bytes(std::span(part))));
        back += part;
      }
      EXPECT_EQ(back, text) << size << " in pieces of " << piece;
    }
  }
}

TEST(ScratchFile, ReadingBeyondTheEndIsIntegrity) {
  ScratchFile file(64);
  ASSERT_TRUE(file.write(bytes_of("abc")));
  ASSERT_TRUE(file.rewind());
  std::string four(4, '\0');
  const auto status = file.read(std::as_writable_bytes(std::span(four)));
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code(), Code::Integrity);
}

TEST(ScratchFile, OnlyWhatDoesNotFitIntoTheBufferNeedsAFolder) {
  ::setenv("TMPDIR", "/nonexistent/cairn", 1);
  ScratchFile file(64);
  EXPECT_TRUE(file.write(bytes_of(numbers(63))));
  const auto status = file.write(bytes_of("x"));
  ::unsetenv("TMPDIR");
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code(), Code::NotFound);
}

}  // namespace
}  // namespace cairn::fs
