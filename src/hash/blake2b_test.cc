#include "hash/blake2b.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

namespace cairn::hash {
namespace {

std::vector<std::byte> counting_bytes(std::size_t size) {
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(i % 251);
  return bytes;
}

nlohmann::json vectors() {
  std::ifstream file(CAIRN_TEST_DATA "/vectors/blake2b.json");
  return nlohmann::json::parse(file);
}

TEST(Blake2b256, Vectors) {
  const nlohmann::json all = vectors();
  std::vector<std::byte> key(128);
  ASSERT_TRUE(from_hex(all.at("key").get<std::string>(), key));
  for (const nlohmann::json& one : all.at("cases")) {
    const std::vector<std::byte> input = counting_bytes(one.at("length"));
    EXPECT_EQ(blake2b_256({input}).hex(), one.at("hash").get<std::string>()) << input.size();
    EXPECT_EQ(blake2b_256({key, input}).hex(), one.at("with_key").get<std::string>()) << input.size();
  }
}

TEST(Blake2b256, PiecesGiveTheSame) {
  const std::vector<std::byte> input = counting_bytes(1000);
  for (const std::size_t length : {0U, 1U, 127U, 128U, 129U, 255U, 256U, 257U, 384U, 1000U}) {
    const Bytes whole = Bytes(input).first(length);
    const Digest256 expected = blake2b_256({whole});
    for (std::size_t piece = 1; piece <= 300; ++piece) {
      Blake2b256 running;
      for (std::size_t at = 0; at < length; at += piece) {
        running.update(whole.subspan(at, std::min(piece, length - at)));
      }
      ASSERT_EQ(running.finish(), expected) << length << " by " << piece;
    }
  }
}

TEST(Blake2b256, FinishAndCopiesLeaveTheStateAlone) {
  const std::vector<std::byte> input = counting_bytes(500);
  Blake2b256 running;
  running.update(Bytes(input).first(256));
  EXPECT_EQ(running.finish(), blake2b_256({Bytes(input).first(256)}));
  EXPECT_EQ(running.finish(), blake2b_256({Bytes(input).first(256)}));
  const Blake2b256 copy = running;
  running.update({});
  running.update(Bytes(input).subspan(256));
  EXPECT_EQ(running.finish(), blake2b_256({input}));
  EXPECT_EQ(copy.finish(), blake2b_256({Bytes(input).first(256)}));
}

}  // namespace
}  // namespace cairn::hash
