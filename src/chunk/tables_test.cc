// Key material against the vectors: byte streams, bounded numbers, shuffles, tables and the hashes of single windows.
#include "chunk/tables.h"

#include <gtest/gtest.h>

#include <numeric>

#include "chunk/key_stream.h"
#include "chunk/test_data.h"
#include "hash/sha256.h"

namespace cairn::chunk {
namespace {

using test_data::Data;

hash::Key256 seed_of(const nlohmann::json& entry) {
  hash::Key256 seed;
  EXPECT_TRUE(from_hex(entry["seed"].get<std::string>(), seed));
  return seed;
}

template <class Word>
std::string fingerprint(const Table<Word>& table) {
  Data bytes(sizeof table);
  for (std::size_t i = 0; i < table.size(); ++i) store_le(bytes.data() + i * sizeof(Word), table[i]);
  return hash::sha256(bytes).hex();
}

TEST(KeyStream, BytesOfTheVectors) {
  for (const nlohmann::json& entry : test_data::vectors()["csprng"]) {
    Data whole(10000);
    KeyStream(seed_of(entry)).fill(whole);
    EXPECT_EQ(to_hex(Bytes(whole).first(32)), entry["first32"].get<std::string>());
    EXPECT_EQ(hash::sha256(whole).hex(), entry["sha256_first_10000"].get<std::string>());
    // Odd pieces give the same bytes.
    Data pieces(10000);
    KeyStream stream(seed_of(entry));
    for (std::size_t at = 0; at < pieces.size(); at += 97) {
      stream.fill(MutableBytes(pieces).subspan(at, std::min<std::size_t>(97, pieces.size() - at)));
    }
    EXPECT_EQ(pieces, whole);
  }
}

TEST(KeyStream, NumbersOfTheVectors) {
  for (const nlohmann::json& entry : test_data::vectors()["csprng"]) {
    KeyStream stream(seed_of(entry));
    for (std::size_t i = 0; i < entry["random_int_bounds"].size(); ++i) {
      EXPECT_EQ(stream.below(entry["random_int_bounds"][i]), entry["random_int"][i].get<std::uint32_t>()) << i;
    }
  }
}

TEST(KeyStream, BelowOneConsumesNothing) {
  KeyStream one({});
  KeyStream other({});
  EXPECT_EQ(one.below(1), 0U);
  EXPECT_EQ(one.next_u64(), other.next_u64());
}

TEST(KeyStream, ShufflesOfTheVectors) {
  for (const nlohmann::json& entry : test_data::vectors()["csprng"]) {
    std::vector<std::uint8_t> list(16);
    std::iota(list.begin(), list.end(), std::uint8_t{0});
    KeyStream(seed_of(entry)).shuffle(list);
    EXPECT_EQ(list, entry["shuffle_range16"].get<std::vector<std::uint8_t>>());
    KeyStream stream(seed_of(entry));
    for (const char* name : {"shuffle_range256_sha256", "second_shuffle_range256_sha256"}) {
      list.resize(256);
      std::iota(list.begin(), list.end(), std::uint8_t{0});
      stream.shuffle(list);
      EXPECT_EQ(hash::sha256(std::as_bytes(std::span(list))).hex(), entry[name].get<std::string>()) << name;
    }
  }
}

TEST(Tables, KeysAndFingerprintsOfTheVectors) {
  for (const auto& [name, entry] : test_data::vectors()["keys"].items()) {
    const Keys keys = test_data::keys(name);
    for (const auto& [algorithm, key] : entry["chunker_keys"].items()) {
      const Result<Params> params =
          parse_params(algorithm + (algorithm == "buzhash64" ? ",19,23,21,4095,2" : ",19,23,21,2"));
      ASSERT_TRUE(params.has_value());
      EXPECT_EQ(to_hex(chunker_key(keys, params->algorithm)), key.get<std::string>()) << algorithm;
    }
    EXPECT_EQ(fingerprint(gear_table(keys)), entry["fastcdc"]["gear_sha256"].get<std::string>());
    EXPECT_EQ(fingerprint(buzhash64_table(keys)), entry["buzhash64"]["table_sha256"].get<std::string>());
  }
}

TEST(Tables, BuzhashIsItsBaseXoredWithTheSeed) {
  Keys keys;
  keys.without_repository = true;
  EXPECT_EQ(fingerprint(buzhash_table(keys)), "52bbc3f13bb34a5f5b19988dce11f5adb9cc0868a29e987f4c8d2901c722e6db");
  const Table<std::uint32_t> base = buzhash_table(keys);
  const Table<std::uint32_t> k2 = buzhash_table(test_data::keys("k2"));
  for (std::size_t i = 0; i < base.size(); ++i) EXPECT_EQ(base[i] ^ k2[i], 0xdeadbeefU);
}

}  // namespace
}  // namespace cairn::chunk
