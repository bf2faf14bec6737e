#include "compress/zstd_stream.h"

#include <gtest/gtest.h>

#include <cstring>

namespace cairn::compress {
namespace {

std::string numbers(std::size_t size) {
  std::string text;
  for (std::size_t i = 0; text.size() < size; ++i) text += std::to_string(i * i) + " ";
  text.resize(size);
  return text;
}

std::string packed(const std::string& plain, unsigned threads, std::size_t step) {
  auto encoder = ZstdEncoder::make(3, threads);
  std::string out;
  const ZstdEncoder::Sink sink = [&](Bytes bytes) -> Status {
    out += text_of(bytes);
    return {};
  };
  for (std::size_t at = 0; at < plain.size(); at += step) {
    EXPECT_TRUE(encoder->write(bytes_of(std::string_view(plain).substr(at, step)), sink));
  }
  EXPECT_TRUE(encoder->finish(sink));
  return out;
}

Result<std::string> unpacked(const std::string& packed, std::size_t piece) {
  ZstdDecoder decoder([rest = std::string_view(packed), piece](MutableBytes out) mutable -> Result<std::size_t> {
    const std::size_t count = std::min({piece, out.size(), rest.size()});
    if (count > 0) std::memcpy(out.data(), rest.data(), count);
    rest.remove_prefix(count);
    return count;
  });
  std::string plain;
  Buffer buffer(10'000);
  while (true) {
    CAIRN_TRY(const std::size_t count, decoder.read(buffer.span()));
    if (count == 0) return plain;
    plain += text_of(buffer.view(0, count));
  }
}

TEST(ZstdStream, RoundTripWithAnyNumberOfThreads) {
  for (const std::size_t size : {0U, 1U, 100'000U, 9'000'000U}) {
    const std::string plain = numbers(size);
    for (const unsigned threads : {1U, 3U}) {
      const std::string stream = packed(plain, threads, 77'777);
      for (const std::size_t piece : {std::size_t{1000}, std::size_t{1} << 20U}) {
        const auto back = unpacked(stream, piece);
        ASSERT_TRUE(back);
        EXPECT_TRUE(*back == plain) << size;
      }
    }
  }
}

TEST(ZstdStream, FramesFollowOneAnother) {
  const std::string one = packed("one ", 1, 100), two = packed("two", 1, 100);
  const auto both = unpacked(one + two, 5), nothing = unpacked("", 5);
  ASSERT_TRUE(both);
  ASSERT_TRUE(nothing);
  EXPECT_EQ(*both, "one two");
  EXPECT_EQ(*nothing, "");
}

TEST(ZstdStream, CutAndDamagedStreamsAreErrors) {
  const std::string stream = packed(numbers(300'000), 1, 1000);
  for (const std::size_t size : {std::size_t{1}, std::size_t{20}, stream.size() / 2, stream.size() - 1}) {
    const auto plain = unpacked(stream.substr(0, size), 4096);
    ASSERT_FALSE(plain) << size;
    EXPECT_EQ(plain.error().code(), Code::Decompression);
  }
  EXPECT_FALSE(unpacked("no zstd at all", 4096));
}

}  // namespace
}  // namespace cairn::compress
