// Every version of blake3_many that this CPU offers gives the scalar one's bytes.
#include "hash/kernels/blake3_many.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "cpu/features.h"

namespace cairn::hash {
namespace {

std::vector<std::byte> noise(std::size_t size, std::uint64_t seed) {
  std::vector<std::byte> bytes(size);
  for (std::byte& byte : bytes) {
    seed = seed * 6364136223846793005U + 1442695040888963407U;
    byte = static_cast<std::byte>(seed >> 56U);
  }
  return bytes;
}

class Blake3Kernel : public testing::TestWithParam<const Blake3Many*> {
 protected:
  Blake3Kernel() {
    const std::vector<std::byte> bytes = noise(32, 99);
    std::memcpy(key_, bytes.data(), sizeof key_);
  }

  void SetUp() override {
    if (!cpu::has(GetParam()->needs)) GTEST_SKIP() << "this CPU cannot run it";
  }

  // Compares with exact buffers on both sides, so that a sanitizer sees any byte read or written beyond.
  void expect_same_chunks(Bytes input, std::uint64_t counter, std::uint8_t flags) const {
    const std::size_t chunks = (input.size() + kBlake3ChunkBytes - 1) / kBlake3ChunkBytes;
    std::vector<std::byte> expected(chunks * kBlake3CvBytes);
    std::vector<std::byte> actual(chunks * kBlake3CvBytes);
    blake3_chunks_scalar(input.data(), input.size(), key_, counter, flags, expected.data());
    GetParam()->chunks(input.data(), input.size(), key_, counter, flags, actual.data());
    ASSERT_TRUE(actual == expected) << input.size() << " bytes from chunk " << counter;
  }

  std::uint32_t key_[8];
};

TEST_P(Blake3Kernel, CompressesEveryLength) {
  const std::vector<std::byte> input = noise(64 * 66, 1);
  for (std::uint32_t length = 0; length <= 64; ++length) {
    std::uint32_t expected[8];
    std::uint32_t actual[8];
    std::memcpy(expected, key_, sizeof key_);
    std::memcpy(actual, key_, sizeof key_);
    std::vector<std::byte> block(input.begin() + length * 64, input.begin() + length * 64 + 64);
    const std::uint64_t counter = 0x0123456789abcdefU * (length + 1);
    const auto flags = static_cast<std::uint8_t>(length & 31U);
    blake3_compress_scalar(expected, block.data(), length, counter, flags);
    GetParam()->compress(actual, block.data(), length, counter, flags);
    EXPECT_EQ(std::memcmp(actual, expected, sizeof actual), 0) << length;
  }
}

TEST_P(Blake3Kernel, ChunksOfEveryShortLength) {
  for (std::size_t length = 1; length <= 5 * kBlake3ChunkBytes; length += length < 1200 ? 1 : 7) {
    expect_same_chunks(noise(length, length), 0, kBlake3Keyed);
  }
}

TEST_P(Blake3Kernel, ChunksOfEveryCountAndTail) {
  for (std::size_t chunks = 1; chunks <= 70; ++chunks) {
    for (const std::size_t tail : {0U, 1U, 63U, 64U, 65U, 500U, 960U, 961U, 1023U}) {
      expect_same_chunks(noise(chunks * kBlake3ChunkBytes + tail, chunks), chunks, 0);
    }
  }
}

TEST_P(Blake3Kernel, ChunksAtEveryAlignment) {
  const std::vector<std::byte> input = noise(37 * kBlake3ChunkBytes + 64, 5);
  for (std::size_t offset = 0; offset < 64; ++offset) {
    expect_same_chunks(Bytes(input).subspan(offset, 36 * kBlake3ChunkBytes + offset), 7, kBlake3Keyed);
  }
}

TEST_P(Blake3Kernel, CounterCarriesIntoItsUpperHalf) {
  const std::vector<std::byte> input = noise(40 * kBlake3ChunkBytes, 6);
  for (std::uint64_t back = 0; back <= 40; ++back) {
    expect_same_chunks(input, (std::uint64_t{1} << 32U) - back, 0);
    expect_same_chunks(input, (std::uint64_t{5} << 32U) - back, 0);
  }
}

TEST_P(Blake3Kernel, ParentsOfEveryCountAlsoInPlace) {
  for (std::size_t count = 0; count <= 70; ++count) {
    const std::vector<std::byte> cvs = noise(count * 2 * kBlake3CvBytes, count);
    std::vector<std::byte> expected(count * kBlake3CvBytes);
    std::vector<std::byte> actual(count * kBlake3CvBytes);
    blake3_parents_scalar(cvs.data(), count, key_, kBlake3Keyed, expected.data());
    GetParam()->parents(cvs.data(), count, key_, kBlake3Keyed, actual.data());
    ASSERT_TRUE(actual == expected) << count;
    std::vector<std::byte> in_place = cvs;
    GetParam()->parents(in_place.data(), count, key_, kBlake3Keyed, in_place.data());
    ASSERT_TRUE(std::equal(expected.begin(), expected.end(), in_place.begin())) << count;
  }
}

std::vector<const Blake3Many*> all_versions() {
  std::vector<const Blake3Many*> versions;
  for (const Blake3Many& version : blake3_manys()) versions.push_back(&version);
  return versions;
}

INSTANTIATE_TEST_SUITE_P(All, Blake3Kernel, testing::ValuesIn(all_versions()),
                         [](const auto& version) { return std::string(version.param->name); });

}  // namespace
}  // namespace cairn::hash
