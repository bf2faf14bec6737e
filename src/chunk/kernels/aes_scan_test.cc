// Every kernel of the AES chunkers that runs here against the definition: all hits, dense and sparse, all short
// lengths, nothing read outside.
#include <gtest/gtest.h>

#include "chunk/aes_secret.h"
#include "chunk/kernels/aes_digest.h"
#include "chunk/kernels/aes_scan.h"
#include "chunk/test_data.h"
#include "cpu/features.h"
#include "hash/sha256.h"

namespace cairn::chunk::kernels {
namespace {

using test_data::Data;
using test_data::random_bytes;

template <class Digest>
AesSecret<Digest> secret(const char* name);
template <>
AesSecret<ToeplitzDigest> secret(const char* name) {
  return toeplitz_secret(test_data::keys(name));
}
template <>
AesSecret<RabinDigest> secret(const char* name) {
  return rabin_secret(test_data::keys(name));
}
template <>
AesSecret<GoldilocksDigest> secret(const char* name) {
  return goldilocks_secret(test_data::keys(name));
}

template <class Digest>
class AesScanTest : public testing::Test {};
using Digests = testing::Types<ToeplitzDigest, RabinDigest, GoldilocksDigest>;
TYPED_TEST_SUITE(AesScanTest, Digests);

// Goes on after every hit, so that all of them are compared.
template <class Digest>
std::vector<std::size_t> hits(AesFind<Digest> find, const AesSecret<Digest>& with, Bytes data, std::uint64_t mask) {
  std::vector<std::size_t> found;
  for (std::size_t at = kAesWindow; at < data.size(); ++at) {
    at += find(with, data.data() + at, data.size() - at, mask);
    if (at < data.size()) found.push_back(at);
  }
  return found;
}

TYPED_TEST(AesScanTest, EveryKernelFindsTheSame) {
  const Data data = random_bytes(8, 400000);
  for (const char* key : {"none", "k1", "k2"}) {
    const AesSecret<TypeParam> with = secret<TypeParam>(key);
    for (const unsigned bits : {1U, 2U, 6U, 7U, 8U, 9U, 12U, 15U, 16U, 17U, 19U, 40U}) {
      const Bytes part = Bytes(data).first(bits < 8 ? 5000 : bits < 12 ? 100000 : data.size());
      const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
      const std::vector<std::size_t> expected = hits(aes_find_evp<TypeParam>, with, part, mask);
      if (bits <= 16) {
        EXPECT_FALSE(expected.empty());
      }
      for (const AesScan<TypeParam>& scan : aes_scans<TypeParam>()) {
        if (!cpu::has(scan.needs)) continue;
        EXPECT_EQ(hits(scan.find, with, part, mask), expected) << scan.name << " " << bits;
      }
    }
  }
}

TYPED_TEST(AesScanTest, EveryShortLength) {
  const AesSecret<TypeParam> with = secret<TypeParam>("k2");
  const Data data = random_bytes(9, 12000);
  for (std::size_t size = 0; size < 11000; size += size < 700 ? 1 : 119) {
    // Of its own, so that the sanitizer sees what is read outside.
    const Data exact(data.begin() + 7, data.begin() + 7 + static_cast<std::ptrdiff_t>(kAesWindow + size));
    for (const std::uint64_t mask : {0xffU, 0xffffU}) {
      const std::size_t hit = aes_find_evp(with, exact.data() + kAesWindow, size, mask);
      for (const AesScan<TypeParam>& scan : aes_scans<TypeParam>()) {
        if (!cpu::has(scan.needs)) continue;
        EXPECT_EQ(scan.find(with, exact.data() + kAesWindow, size, mask), hit) << scan.name << " " << size;
      }
    }
  }
}

// A hit at every single place of a block: what lanes find out of order still comes out in order.
TYPED_TEST(AesScanTest, TheFirstOfManyHitsWins) {
  const AesSecret<TypeParam> with = secret<TypeParam>("k1");
  const Data pattern = random_bytes(10, 300000);
  const std::uint64_t mask = 0x3fff;
  const std::vector<std::size_t> all = hits(aes_find_evp<TypeParam>, with, pattern, mask);
  ASSERT_GT(all.size(), 3U);
  // Copies of windows that pass, in an otherwise different file.
  test_data::SplitMix random(11);
  for (int round = 0; round < 40; ++round) {
    Data data = random_bytes(1000 + static_cast<std::uint64_t>(round), 150000);
    for (int copy = 0; copy < 3; ++copy) {
      const std::size_t from = all[random.below(all.size())] + 1 - kAesWindow;
      const std::size_t to = kAesWindow + random.below(data.size() - 2 * kAesWindow);
      std::copy_n(pattern.begin() + static_cast<std::ptrdiff_t>(from), kAesWindow,
                  data.begin() + static_cast<std::ptrdiff_t>(to));
    }
    const std::vector<std::size_t> expected = hits(aes_find_evp<TypeParam>, with, data, mask);
    EXPECT_GE(expected.size(), 1U);
    for (const AesScan<TypeParam>& scan : aes_scans<TypeParam>()) {
      if (!cpu::has(scan.needs)) continue;
      EXPECT_EQ(hits(scan.find, with, data, mask), expected) << scan.name;
    }
  }
}

TYPED_TEST(AesScanTest, BytesOfOneValueAndFewValues) {
  const AesSecret<TypeParam> with = secret<TypeParam>("k2");
  for (unsigned value = 0; value < 256; value += 5) {
    const Data data = value < 100 ? Data(40000, std::byte(value * 2)) : random_bytes(value, 40000, value & 3U);
    const std::vector<std::size_t> expected = hits(aes_find_evp<TypeParam>, with, Bytes(data).first(9000), 0x3f);
    const std::size_t first = aes_find_evp(with, data.data() + kAesWindow, data.size() - kAesWindow, 0xffff);
    for (const AesScan<TypeParam>& scan : aes_scans<TypeParam>()) {
      if (!cpu::has(scan.needs)) continue;
      EXPECT_EQ(hits(scan.find, with, Bytes(data).first(9000), 0x3f), expected) << scan.name << " " << value;
      EXPECT_EQ(scan.find(with, data.data() + kAesWindow, data.size() - kAesWindow, 0xffff), first) << scan.name;
    }
  }
}

TEST(AesScan, GoldilocksHitsOfTheVectors) {
  for (const auto& [name, entry] : test_data::vectors()["keys"].items()) {
    const nlohmann::json& expected = entry["goldilocks_hits"];
    const Bytes data = Bytes(test_data::input(expected["input"])).first(expected["prefix"].get<std::size_t>());
    const std::uint64_t mask = (std::uint64_t{1} << expected["mask_bits"].get<unsigned>()) - 1;
    for (const AesScan<GoldilocksDigest>& scan : aes_scans<GoldilocksDigest>()) {
      if (!cpu::has(scan.needs)) continue;
      Data record;
      for (const std::size_t hit : hits(scan.find, secret<GoldilocksDigest>(name.c_str()), data, mask)) {
        record.resize(record.size() + 4);
        store_le(record.data() + record.size() - 4, static_cast<std::uint32_t>(hit));
      }
      EXPECT_EQ(record.size() / 4, expected["count"].get<std::size_t>()) << scan.name;
      EXPECT_EQ(hash::sha256(record).hex(), expected["sha256_le32"].get<std::string>()) << scan.name;
    }
  }
}

}  // namespace
}  // namespace cairn::chunk::kernels
