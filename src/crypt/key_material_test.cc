#include "crypt/key_material.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "crypt/vectors_test.h"

namespace cairn::crypt {
namespace {

bool all_zero(Bytes bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](std::byte b) { return b == std::byte{0}; });
}

TEST(DeriveKey, EqualsTheVectors) {
  const KeyMaterial material = testing::vector_material();
  ASSERT_FALSE(testing::vectors().at("derive_key").empty());
  for (const auto& vector : testing::vectors().at("derive_key")) {
    const Bytes from = vector.at("from") == "crypt_key" ? Bytes(material.crypt_key) : Bytes(material.id_key);
    const Buffer salt = testing::bytes_from_hex(vector.at("salt"));
    const std::string domain = vector.at("domain");
    const hash::Key256 key = derive_key(from, salt, domain);
    EXPECT_EQ(to_hex(Bytes(key).first(vector.at("size"))), vector.at("key").get<std::string>()) << domain;
  }
}

TEST(KeyMaterial, MovingWipesTheSource) {
  KeyMaterial from = testing::vector_material();
  const KeyMaterial to(std::move(from));
  EXPECT_TRUE(all_zero(from.crypt_key));  // NOLINT(bugprone-use-after-move): that is the point
  EXPECT_TRUE(all_zero(from.id_key));
  EXPECT_EQ(from.chunk_seed, 0);
  EXPECT_EQ(to.crypt_key, testing::vector_material().crypt_key);
  EXPECT_EQ(to.chunk_seed, -123456789);
}

TEST(KeyMaterial, MovingToItselfKeepsTheKeys) {
  KeyMaterial material = testing::vector_material();
  KeyMaterial& same = material;
  material = std::move(same);
  EXPECT_EQ(material.crypt_key, testing::vector_material().crypt_key);
}

TEST(KeyMaterial, DuplicateIsEqualAndLeavesTheOriginal) {
  const KeyMaterial original = testing::vector_material();
  const KeyMaterial copy = original.duplicate();
  EXPECT_EQ(copy.crypt_key, original.crypt_key);
  EXPECT_EQ(copy.id_key, original.id_key);
  EXPECT_EQ(copy.chunk_seed, original.chunk_seed);
  EXPECT_EQ(copy.repository_id, original.repository_id);
  EXPECT_FALSE(all_zero(original.crypt_key));
}

TEST(KeyMaterial, FreshMaterialIsRandomAndNamesTheRepository) {
  RepositoryId id;
  id.raw[5] = std::byte{7};
  const KeyMaterial a = make_key_material(id);
  const KeyMaterial b = make_key_material(id);
  EXPECT_EQ(a.repository_id, id);
  EXPECT_NE(a.crypt_key, b.crypt_key);
  EXPECT_NE(a.id_key, b.id_key);
  EXPECT_FALSE(std::equal(a.id_key.begin(), a.id_key.end(), a.crypt_key.begin()));
}

TEST(RandomBytes, FillsEveryLengthToTheEnd) {
  // Each position must take many values; 64 draws that agree in one byte do not happen by chance.
  for (const std::size_t size : {std::size_t{1}, std::size_t{31}, std::size_t{257}, std::size_t{5000}}) {
    Buffer first(size);
    random_bytes(first);
    std::vector<bool> changed(size, false);
    for (int round = 0; round < 64; ++round) {
      Buffer again(size);
      random_bytes(again);
      for (std::size_t i = 0; i < size; ++i) changed[i] = changed[i] || again.data()[i] != first.data()[i];
    }
    EXPECT_TRUE(std::all_of(changed.begin(), changed.end(), [](bool c) { return c; })) << size;
  }
}

TEST(Wipe, OverwritesWithZeros) {
  Buffer buffer(77);
  random_bytes(buffer);
  wipe(buffer);
  EXPECT_TRUE(all_zero(buffer));
}

}  // namespace
}  // namespace cairn::crypt
