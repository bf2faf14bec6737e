// Every chunk list and prefix sweep of the vectors that this build has a cutter for, and cuts that do not depend on how
// the bytes arrive. Range lists (fmaps) concern the reader of files, not the cutters.
#include "chunk/cutter.h"

#include <gtest/gtest.h>

#include "chunk/kernel_list.h"
#include "chunk/test_data.h"
#include "hash/sha256.h"

namespace cairn::chunk {
namespace {

using test_data::cut_all;
using test_data::cut_in_pieces;
using test_data::Data;
using test_data::input;
using test_data::keys;

void append_u32(Data& to, std::size_t value) {
  std::array<std::byte, 4> bytes;
  store_le(bytes.data(), static_cast<std::uint32_t>(value));
  to.insert(to.end(), bytes.begin(), bytes.end());
}

TEST(Inputs, AreTheOnesOfTheVectors) {
  for (const auto& [name, facts] : test_data::vectors()["inputs"].items()) {
    EXPECT_EQ(hash::sha256(input(name)).hex(), facts["sha256"].get<std::string>()) << name;
  }
}

TEST(Cutter, ChunkListsOfTheVectors) {
  int lists = 0;
  for (const nlohmann::json& entry : test_data::vectors()["chunks"]) {
    const std::string params = entry["chunker"];
    const std::string what = params + " " + entry["key"].get<std::string>() + " " + entry["input"].get<std::string>();
    const std::unique_ptr<Cutter> cutter = test_data::cutter(params, keys(entry["key"]));
    const Data& data = input(entry["input"]);
    const std::vector<std::size_t> lengths = cut_all(*cutter, data);
    Data sizes;
    Data zero;
    std::size_t begin = 0;
    for (const std::size_t length : lengths) {
      append_u32(sizes, length);
      zero.push_back(std::byte(is_zero(Bytes(data).subspan(begin, length)) ? 1 : 0));
      begin += length;
      EXPECT_LE(length, cutter->max_chunk()) << what;
    }
    EXPECT_EQ(lengths.size(), entry["count"].get<std::size_t>()) << what;
    EXPECT_EQ(hash::sha256(sizes).hex(), entry["sizes_sha256"].get<std::string>()) << what;
    EXPECT_EQ(hash::sha256(zero).hex(), entry["alloc_sha256"].get<std::string>()) << what;
    if (entry.contains("sizes")) {
      EXPECT_EQ(lengths, entry["sizes"].get<std::vector<std::size_t>>()) << what;
    }
    ++lists;
  }
  EXPECT_EQ(lists, 395);
}

TEST(Cutter, PrefixSweepsOfTheVectors) {
  int sweeps = 0;
  for (const nlohmann::json& entry : test_data::vectors()["prefix_sweeps"]) {
    const std::string params = entry["chunker"];
    const std::unique_ptr<Cutter> cutter = test_data::cutter(params, keys(entry["key"]));
    const Bytes data = input(entry["input"]);
    Data record;
    std::size_t total = 0;
    for (std::size_t size = entry["from"]; size <= entry["to"].get<std::size_t>();
         size += entry["step"].get<std::size_t>()) {
      const std::vector<std::size_t> lengths = cut_all(*cutter, data.first(size));
      append_u32(record, lengths.size());
      for (const std::size_t length : lengths) append_u32(record, length);
      total += lengths.size();
    }
    EXPECT_EQ(total, entry["total_chunks"].get<std::size_t>()) << params;
    EXPECT_EQ(hash::sha256(record).hex(), entry["sha256"].get<std::string>()) << params;
    ++sweeps;
  }
  EXPECT_EQ(sweeps, 10);
}

class Splits : public testing::TestWithParam<const char*> {};

TEST_P(Splits, CutsDoNotDependOnHowBytesArrive) {
  const std::unique_ptr<Cutter> cutter = test_data::cutter(GetParam(), keys("k1"));
  Data data = test_data::random_bytes(99, 60000);
  std::fill(data.begin() + 20000, data.begin() + 33000, std::byte{0});
  const std::vector<std::size_t> expected = cut_all(*cutter, data);
  EXPECT_EQ(cut_in_pieces(*cutter, data, [] { return std::size_t{1}; }), expected) << "single bytes";
  EXPECT_EQ(cut_in_pieces(*cutter, data, [] { return std::size_t{7}; }), expected) << "sevens";
  EXPECT_EQ(cut_in_pieces(*cutter, data, [] { return std::size_t{1000}; }, true), expected) << "thousands, moved";
  test_data::SplitMix random(5);
  for (int round = 0; round < 20; ++round) {
    EXPECT_EQ(cut_in_pieces(*cutter, data, [&] { return 1 + random.below(5000); }, round % 4 == 0), expected) << round;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Splits,
                         testing::Values("fixed,64", "fixed,1000,333", "fixed,333,1000", "fastcdc,6,12,6,0",
                                         "fastcdc,6,12,7,6", "fastcdc,8,14,11,2", "fastcdc,10,16,13,3",
                                         "fastcdc,12,16,16,0", "buzhash64,6,12,6,64,0", "buzhash64,6,12,8,0,1",
                                         "buzhash64,6,12,8,1,2", "buzhash64,8,14,11,511,2", "buzhash64,10,16,13,4095,3",
                                         "buzhash,6,12,6,33", "buzhash,6,12,8,1", "buzhash,8,14,11,511",
                                         "buzhash,10,16,13,4095", "toeplitz-aes,6,12,6,0", "toeplitz-aes,8,14,11,2",
                                         "rabin-aes,6,12,7,6", "rabin-aes,10,16,13,3", "goldilocks-aes,6,12,6,0",
                                         "goldilocks-aes,8,14,11,2"));

TEST(Cutter, EveryKernelGivesTheSameCuts) {
  Data data = test_data::random_bytes(17, 500000);
  std::fill(data.begin() + 100000, data.begin() + 240000, std::byte{7});
  for (const char* text :
       {"fastcdc,6,12,6,0", "fastcdc,6,12,7,6", "fastcdc,8,16,13,2", "fastcdc,12,19,17,2", "buzhash64,6,12,6,64,0",
        "buzhash64,6,12,8,0,1", "buzhash64,8,16,13,63,2", "buzhash64,12,19,17,511,2", "buzhash,6,12,6,33",
        "buzhash,8,16,13,63", "toeplitz-aes,6,12,6,0", "toeplitz-aes,8,16,13,2", "rabin-aes,6,12,7,6",
        "rabin-aes,12,19,17,2", "goldilocks-aes,6,12,6,0", "goldilocks-aes,8,16,13,2"}) {
    const Result<Params> params = parse_params(text);
    ASSERT_TRUE(params.has_value());
    const bool is_aes = std::string_view(text).find("-aes") != std::string_view::npos;
    const Result<std::unique_ptr<Cutter>> reference = make_cutter(*params, keys("k2"), is_aes ? "evp" : "scalar");
    ASSERT_TRUE(reference.has_value());
    const std::vector<std::size_t> expected = cut_all(**reference, data);
    for (const KernelChoice& choice : kernels_of(params->algorithm)) {
      if (!choice.runs) continue;
      const Result<std::unique_ptr<Cutter>> made = make_cutter(*params, keys("k2"), choice.name);
      ASSERT_TRUE(made.has_value());
      EXPECT_EQ((*made)->kernel(), choice.name);
      EXPECT_EQ(cut_all(**made, data), expected) << text << " " << choice.name;
      test_data::SplitMix random(6);
      EXPECT_EQ(cut_in_pieces(**made, data, [&] { return 1 + random.below(3000); }), expected)
          << text << " " << choice.name;
    }
  }
}

TEST(Cutter, AChunkOfTheLargestSizeIsCutWithoutMoreBytes) {
  const std::unique_ptr<Cutter> cutter = test_data::cutter("fastcdc,6,8,8,0", keys("none"));
  int uncut = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Data data = test_data::random_bytes(seed, 300);
    if (cut_all(*cutter, data)[0] != 256) continue;
    ++uncut;
    Scan scan;
    EXPECT_EQ(cutter->cut(Bytes(data).first(255), false, true, scan), 0U);
    EXPECT_EQ(cutter->cut(Bytes(data).first(256), false, true, scan), 256U);
  }
  EXPECT_GT(uncut, 0);
}

TEST(Cutter, ParametersOfAnArchiveAreCheckedToo) {
  Params params;
  params.max_exp = 60;
  const Result<std::unique_ptr<Cutter>> made = make_cutter(params, {});
  ASSERT_FALSE(made.has_value());
  EXPECT_EQ(made.error().code(), Code::Usage);
}

TEST(IsZero, FindsASingleByteAnywhere) {
  for (const std::size_t size : {0U, 1U, 7U, 63U, 64U, 65U, 127U, 128U, 200U, 4097U}) {
    Data data(size + 3);
    for (std::size_t offset = 0; offset < 3; ++offset) {
      EXPECT_TRUE(is_zero(Bytes(data).subspan(offset, size)));
      for (std::size_t i = 0; i < size; ++i) {
        data[offset + i] = std::byte{0x80};
        EXPECT_FALSE(is_zero(Bytes(data).subspan(offset, size))) << size << " " << i;
        data[offset + i] = std::byte{0};
      }
    }
  }
}

}  // namespace
}  // namespace cairn::chunk
