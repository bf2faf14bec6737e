#include "hash/id_hash.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>
#include <vector>

namespace cairn::hash {
namespace {

nlohmann::json vectors() {
  std::ifstream file(CAIRN_TEST_DATA "/vectors/crypto.json");
  return nlohmann::json::parse(file);
}

Key256 id_key(const nlohmann::json& all) {
  Key256 key{};
  EXPECT_TRUE(from_hex(all["key_material"]["id_key"].get<std::string>(), key));
  return key;
}

// "pattern(n)" as the vectors define it.
std::vector<std::byte> pattern(const std::string& name) {
  std::vector<std::byte> bytes(std::stoul(name.substr(name.find('(') + 1)));
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<std::byte>((i * 167 + i / 256 * 13 + 7) & 0xffU);
  return bytes;
}

constexpr std::size_t kZeroSizes[] = {0, 1, 64, 1024, 1025, 131'071, 131'072, 131'073, 300'000, 1'048'576};

TEST(IdHash, VectorsOfBothKinds) {
  const nlohmann::json all = vectors();
  const IdHash by_sha256(IdHashKind::Sha256, id_key(all));
  const IdHash by_blake3(IdHashKind::Blake3, id_key(all));
  for (const nlohmann::json& one : all["id_hash"]) {
    const std::vector<std::byte> input = pattern(one["input"]);
    EXPECT_EQ(by_sha256(input).hex(), one["hmac_sha256"].get<std::string>()) << one["input"];
    EXPECT_EQ(by_blake3(input).hex(), one["keyed_blake3"].get<std::string>()) << one["input"];
    EXPECT_EQ(blake3(input).hex(), one["store_hash_blake3"].get<std::string>()) << one["input"];
  }
}

TEST(IdHash, ZerosAreHashedAsBytes) {
  for (const IdHashKind kind : {IdHashKind::Sha256, IdHashKind::Blake3}) {
    const IdHash id_hash(kind, id_key(vectors()));
    for (const std::size_t size : kZeroSizes) {
      const std::vector<std::byte> zeros(size);
      EXPECT_EQ(id_hash.of_zeros(size), id_hash(zeros)) << size;
      EXPECT_EQ(id_hash.of_zeros(size), id_hash(zeros)) << size << ", remembered";
    }
  }
}

TEST(IdHash, ZerosStayRightBeyondTheMemory) {
  const IdHash id_hash(IdHashKind::Blake3, id_key(vectors()));
  const std::vector<std::byte> zeros(2000);
  for (int round = 0; round < 2; ++round) {
    for (std::size_t size = 0; size < zeros.size(); size += 3) {
      ASSERT_EQ(id_hash.of_zeros(size), id_hash(Bytes(zeros).first(size))) << size;
    }
  }
}

TEST(IdHash, ThreadsShareTheZeros) {
  const IdHash id_hash(IdHashKind::Blake3, id_key(vectors()));
  std::array<std::vector<ChunkId>, 4> found;
  std::vector<std::thread> threads;
  for (std::vector<ChunkId>& mine : found) {
    threads.emplace_back([&] {
      for (std::size_t size = 0; size < 600; ++size) mine.push_back(id_hash.of_zeros(size));
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::vector<ChunkId>& mine : found) EXPECT_EQ(mine, found[0]);
}

TEST(IdHash, MovesWithItsKey) {
  for (const IdHashKind kind : {IdHashKind::Sha256, IdHashKind::Blake3}) {
    const IdHash reference(kind, id_key(vectors()));
    IdHash source(kind, id_key(vectors()));
    IdHash moved(std::move(source));
    EXPECT_EQ(moved(bytes_of("text")), reference(bytes_of("text")));
    IdHash assigned(IdHashKind::Sha256, Key256{});
    assigned = std::move(moved);
    EXPECT_EQ(assigned.kind(), kind);
    EXPECT_EQ(assigned(bytes_of("text")), reference(bytes_of("text")));
    EXPECT_EQ(assigned.of_zeros(5), reference.of_zeros(5));
  }
}

}  // namespace
}  // namespace cairn::hash
