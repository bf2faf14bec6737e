#include "archive/metadata.h"

#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

namespace cairn::archive {
namespace {

// tests/data/items/*.archive: plaintexts of archive objects that borg2 wrote.
std::string golden(const std::string& name) {
  std::ifstream file(std::string(CAIRN_TEST_DATA "/items/") + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string encoded(const Metadata& metadata) {
  Buffer out;
  encode(metadata, out);
  return std::string(text_of(out));
}

TEST(Metadata, GoldenObjectsEncodeToTheSameBytes) {
  for (const char* name : {"zoo.archive", "fixed.archive", "three.archive", "empty.archive"}) {
    const std::string bytes = golden(name);
    ASSERT_GT(bytes.size(), 100U) << name;
    const auto metadata = decode_metadata(bytes_of(bytes));
    ASSERT_TRUE(metadata.has_value()) << name;
    EXPECT_TRUE(metadata->unknown.empty()) << name;
    EXPECT_EQ(encoded(*metadata), bytes) << name;
  }
}

TEST(Metadata, GoldenObjectHasItsFacts) {
  const auto metadata = decode_metadata(bytes_of(golden("fixed.archive")));
  ASSERT_TRUE(metadata.has_value());
  EXPECT_EQ(metadata->version, 2);
  EXPECT_EQ(metadata->name, "fixed");
  EXPECT_EQ(metadata->comment, "ä\"");
  EXPECT_EQ(metadata->time, "2020-01-02T03:04:05.000000+01:00");
  EXPECT_EQ(metadata->start, "2026-11-30T17:02:24.703331+00:00");
  EXPECT_EQ(metadata->hostname, "lab");
  EXPECT_EQ(metadata->username, "tester");
  EXPECT_EQ(metadata->cwd, "/tmp/data/src");
  EXPECT_EQ(metadata->item_ptrs.size(), 1U);
  ASSERT_TRUE(metadata->chunker_params.has_value());
  EXPECT_EQ(metadata->chunker_params->algorithm, chunk::Algorithm::Fixed);
  EXPECT_EQ(metadata->chunker_params->block_size, 4096);
  const auto zoo = decode_metadata(bytes_of(golden("zoo.archive")));
  EXPECT_EQ(zoo->tags, (std::vector<std::string>{"t1", "t2"}));
  const auto empty = decode_metadata(bytes_of(golden("empty.archive")));
  EXPECT_EQ(empty->chunker_params->algorithm, chunk::Algorithm::Buzhash);
  EXPECT_EQ(empty->chunker_params->window, 4095);
  const auto three = decode_metadata(bytes_of(golden("three.archive")));
  EXPECT_EQ(three->chunker_params->algorithm, chunk::Algorithm::Buzhash64);
  EXPECT_EQ(three->chunker_params->nc_level, 1);
}

TEST(Metadata, EveryTruncationIsAnError) {
  const std::string bytes = golden("zoo.archive");
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const auto metadata = decode_metadata(bytes_of(bytes).first(size));
    ASSERT_FALSE(metadata.has_value()) << size;
    EXPECT_EQ(metadata.error().code(), Code::Integrity);
  }
  EXPECT_FALSE(decode_metadata(bytes_of(bytes + "x")));
}

TEST(Metadata, EveryAlgorithmComesBack) {
  using chunk::Algorithm;
  for (const Algorithm algorithm :
       {Algorithm::FastCdc, Algorithm::Buzhash64, Algorithm::Buzhash, Algorithm::ToeplitzAes, Algorithm::RabinAes,
        Algorithm::GoldilocksAes, Algorithm::Fixed, Algorithm::Fail}) {
    Metadata metadata{.name = "n", .time = "t"};
    chunk::Params params;
    params.algorithm = algorithm;
    if (algorithm == Algorithm::Fixed || algorithm == Algorithm::Fail) {
      params.block_size = 64;
    } else {
      params.min_exp = 10;
      params.mask_bits = 15;
    }
    if (algorithm == Algorithm::Fail) params.fail_map = "rre";
    metadata.chunker_params = params;
    const auto again = decode_metadata(bytes_of(encoded(metadata)));
    ASSERT_TRUE(again.has_value());
    EXPECT_EQ(*again->chunker_params, params);
  }
}

TEST(Metadata, FourNumbersAreTheOldFormOfBuzhash) {
  Metadata metadata{.name = "n", .time = "t"};
  std::string bytes = encoded(metadata);
  ++bytes[0];  // one more pair
  bytes += std::string(
      "\xae"
      "chunker_params\x94\x13\x17\x15\xcd\x0f\xff",
      22);
  const auto again = decode_metadata(bytes_of(bytes));
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(again->chunker_params->algorithm, chunk::Algorithm::Buzhash);
  EXPECT_EQ(again->chunker_params->max_exp, 23);
}

TEST(Metadata, UnknownKeysAreKeptAndATamIsDropped) {
  Metadata metadata{.name = "n", .time = "t"};
  metadata.unknown = {{"aaa", "\x01"}, {"zzz", "\xc2"}};
  std::string bytes = encoded(metadata);
  const auto again = decode_metadata(bytes_of(bytes));
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(again->unknown, metadata.unknown);
  ++bytes[0];
  const auto signed_one = decode_metadata(bytes_of(bytes + "\xa3tam\xc4\x01x"));
  ASSERT_TRUE(signed_one.has_value());
  EXPECT_EQ(signed_one->unknown, metadata.unknown);
}

TEST(Metadata, RequiredKeysAndKnownVersionsOnly) {
  const std::string whole = encoded({.name = "n", .time = "t"});
  for (const char* key : {"\xa4name", "\xa4time", "\xa7version", "\xa9item_ptrs",
                          "\xac"
                          "command_line"}) {
    std::string bytes = whole;
    const std::size_t at = bytes.find(key);
    ASSERT_NE(at, std::string::npos);
    bytes[at + 1] = 'X';
    EXPECT_FALSE(decode_metadata(bytes_of(bytes))) << key;
  }
  std::string bytes = whole;
  bytes.back() = 3;  // version
  EXPECT_FALSE(decode_metadata(bytes_of(bytes)));
}

}  // namespace
}  // namespace cairn::archive
