// Cuts do not depend on the kernel: every one that runs here against the vectors, and against the reference with random
// parameters that cut densely.
#include <gtest/gtest.h>

#include "chunk/kernel_list.h"
#include "chunk/test_data.h"
#include "hash/sha256.h"

namespace cairn::chunk {
namespace {

using test_data::cut_all;
using test_data::Data;
using test_data::keys;
using test_data::SplitMix;

constexpr Algorithm kAlgorithms[] = {Algorithm::FastCdc,     Algorithm::Buzhash64, Algorithm::Buzhash,
                                     Algorithm::ToeplitzAes, Algorithm::RabinAes,  Algorithm::GoldilocksAes};

// The kernel that the others of its chunker are compared with.
std::string_view reference(Algorithm algorithm) {
  return algorithm == Algorithm::FastCdc || algorithm == Algorithm::Buzhash64 || algorithm == Algorithm::Buzhash
             ? "scalar"
             : "evp";
}

std::vector<std::size_t> cuts(const Params& params, const Keys& with, std::string_view kernel, Bytes data) {
  const Result<std::unique_ptr<Cutter>> cutter = make_cutter(params, with, kernel);
  CAIRN_CHECK(cutter.has_value(), "cutter");
  return cut_all(**cutter, data);
}

TEST(KernelCuts, EveryKernelGivesTheListsOfTheVectors) {
  constexpr std::size_t most = std::size_t{1} << 20U;
  int lists = 0;
  for (const nlohmann::json& entry : test_data::vectors()["chunks"]) {
    const Params params = *parse_params(entry["chunker"].get<std::string>());
    const Data& data = test_data::input(entry["input"]);
    if (data.size() > most) continue;
    for (const KernelChoice& choice : kernels_of(params.algorithm)) {
      if (!choice.runs) continue;
      Data sizes;
      for (const std::size_t length : cuts(params, keys(entry["key"]), choice.name, data)) {
        sizes.resize(sizes.size() + 4);
        store_le(sizes.data() + sizes.size() - 4, static_cast<std::uint32_t>(length));
      }
      ASSERT_EQ(hash::sha256(sizes).hex(), entry["sizes_sha256"].get<std::string>()) << params.text() << choice.name;
      ++lists;
    }
  }
  EXPECT_GT(lists, 100);
}

TEST(KernelCuts, EveryKernelGivesTheCutsOfTheReference) {
  SplitMix random(2024);
  for (int round = 0; round < 12; ++round) {
    Data data = test_data::random_bytes(random.next(), 20000 + random.below(200000), round % 3 == 0 ? 3 : 0xff);
    const std::size_t run = data.size() / 4 + random.below(data.size() / 4);
    std::fill_n(data.begin() + static_cast<std::ptrdiff_t>(run), random.below(data.size() / 4),
                std::byte(random.below(256)));
    for (const Algorithm algorithm : kAlgorithms) {
      Params params{.algorithm = algorithm, .fail_map = {}};
      params.min_exp = 6 + static_cast<int>(random.below(5));
      params.mask_bits = params.min_exp + static_cast<int>(random.below(6));
      params.max_exp = params.mask_bits + 2 + static_cast<int>(random.below(3));
      params.nc_level = static_cast<int>(random.below(4));
      params.window = 1 + 2 * static_cast<int>(random.below(std::size_t{1} << (params.max_exp - 2)));
      ASSERT_TRUE(check_params(params).has_value()) << params.text();
      const Keys with = keys(round % 2 == 0 ? "k1" : "k2");
      const std::vector<std::size_t> expected = cuts(params, with, reference(algorithm), data);
      for (const KernelChoice& choice : kernels_of(algorithm)) {
        if (!choice.runs) continue;
        EXPECT_EQ(cuts(params, with, choice.name, data), expected) << params.text() << " " << choice.name;
      }
    }
  }
}

}  // namespace
}  // namespace cairn::chunk
