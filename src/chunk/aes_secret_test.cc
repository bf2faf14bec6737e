// The AES chunkers' secrets against the vectors: keys, tables, polynomials, and the digests of single windows.
#include "chunk/aes_secret.h"

#include <gtest/gtest.h>

#include "chunk/aes_key_schedule.h"
#include "chunk/kernels/aes_digest.h"
#include "chunk/kernels/aes_sbox.h"
#include "chunk/test_data.h"
#include "hash/sha256.h"

namespace cairn::chunk {
namespace {

using test_data::Data;

std::string fingerprint(const std::uint64_t (&table)[256]) {
  Data bytes(sizeof table);
  for (std::size_t i = 0; i < 256; ++i) store_le(bytes.data() + i * 8, table[i]);
  return hash::sha256(bytes).hex();
}

std::string hex_of(const std::uint8_t (&key)[16]) { return to_hex(std::as_bytes(std::span(key))); }

std::uint64_t number_of(const nlohmann::json& hex) { return std::stoull(hex.get<std::string>(), nullptr, 16); }

TEST(AesSecret, ToeplitzOfTheVectors) {
  for (const auto& [name, entry] : test_data::vectors()["keys"].items()) {
    const auto secret = toeplitz_secret(test_data::keys(name));
    const nlohmann::json& expected = entry["toeplitz-aes"];
    EXPECT_EQ(hex_of(secret.round_keys[0]), expected["aes_key"].get<std::string>());
    EXPECT_EQ(fingerprint(secret.digest.in.words), expected["tables_sha256"]["T"].get<std::string>());
    EXPECT_EQ(fingerprint(secret.digest.out.words), expected["tables_sha256"]["x64T"].get<std::string>());
  }
}

TEST(AesSecret, RabinOfTheVectors) {
  for (const auto& [name, entry] : test_data::vectors()["keys"].items()) {
    const auto secret = rabin_secret(test_data::keys(name));
    const nlohmann::json& expected = entry["rabin-aes"];
    EXPECT_EQ(hex_of(secret.round_keys[0]), expected["aes_key"].get<std::string>());
    const std::string polynomial = expected["polynomial"];
    EXPECT_EQ(secret.digest.polynomial, std::stoull(polynomial.substr(1), nullptr, 16));
    EXPECT_EQ(fingerprint(secret.digest.top), expected["tables_sha256"]["x64"].get<std::string>());
    EXPECT_EQ(fingerprint(secret.digest.out), expected["tables_sha256"]["x512"].get<std::string>());
  }
}

TEST(AesSecret, GoldilocksOfTheVectors) {
  for (const auto& [name, entry] : test_data::vectors()["keys"].items()) {
    const auto secret = goldilocks_secret(test_data::keys(name));
    const nlohmann::json& expected = entry["goldilocks-aes"];
    EXPECT_EQ(hex_of(secret.round_keys[0]), expected["aes_key"].get<std::string>());
    EXPECT_EQ(secret.digest.factor, number_of(expected["K"]));
    EXPECT_EQ(fingerprint(secret.digest.out), expected["tables_sha256"]["neg_b_K64"].get<std::string>());
  }
}

TEST(AesSecret, DigestsOfTheVectorsWindows) {
  for (const auto& [name, entry] : test_data::vectors()["keys"].items()) {
    const Keys keys = test_data::keys(name);
    for (const nlohmann::json& window : entry["windows"]) {
      const std::byte* const end =
          test_data::input(window["input"]).data() + window["offset"].get<std::size_t>() + kernels::kAesWindow;
      EXPECT_EQ(kernels::digest_before(toeplitz_secret(keys).digest, end), number_of(window["toeplitz_digest"]));
      EXPECT_EQ(kernels::digest_before(rabin_secret(keys).digest, end), number_of(window["rabin_digest"]));
      EXPECT_EQ(kernels::digest_before(goldilocks_secret(keys).digest, end), number_of(window["goldilocks_digest"]));
    }
  }
}

TEST(IsIrreducible, KnowsPolynomials) {
  EXPECT_TRUE(is_irreducible(0x1b));   // x^64 + x^4 + x^3 + x + 1, the one of toeplitz-aes
  EXPECT_FALSE(is_irreducible(0));     // x^64
  EXPECT_FALSE(is_irreducible(1));     // (x + 1)^64
  EXPECT_FALSE(is_irreducible(0x1a));  // without a constant: x divides it
  EXPECT_FALSE(is_irreducible(0x13));  // an even number of terms: x + 1 divides it
  // Of degree 64, about one in 64 is irreducible; half of those asked have a constant term.
  int found = 0;
  for (std::uint64_t low = 1; low < 4000; low += 2) found += is_irreducible(low) ? 1 : 0;
  EXPECT_GT(found, 30);
  EXPECT_LT(found, 100);
}

TEST(AesKeySchedule, OfTheStandardsExample) {
  AesKey key;
  ASSERT_TRUE(from_hex("2b7e151628aed2a6abf7158809cf4f3c", key));
  std::uint8_t round_keys[11][16];
  expand_aes_key(key, round_keys);
  EXPECT_EQ(hex_of(round_keys[0]), "2b7e151628aed2a6abf7158809cf4f3c");
  EXPECT_EQ(hex_of(round_keys[1]), "a0fafe1788542cb123a339392a6c7605");
  EXPECT_EQ(hex_of(round_keys[10]), "d014f9a8c9ee2589e13f0cc8b6630ca6");
}

// The numbers that fold differently: around 0, 2^32 and p.
TEST(Goldilocks, ArithmeticAtTheEdges) {
  using kernels::kGoldilocks;
  const std::uint64_t numbers[] = {0,
                                   1,
                                   2,
                                   0xffffffff,
                                   0x100000000,
                                   0x100000001,
                                   1ULL << 63U,
                                   kGoldilocks - 1,
                                   kGoldilocks - 2,
                                   0x7fffffffffffffff,
                                   0xfffffffe00000001};
  for (const std::uint64_t a : numbers) {
    for (const std::uint64_t b : numbers) {
      const auto sum = static_cast<std::uint64_t>((static_cast<kernels::Wide>(a) + b) % kGoldilocks);
      const auto product = static_cast<std::uint64_t>(static_cast<kernels::Wide>(a) * b % kGoldilocks);
      EXPECT_EQ(kernels::add_mod(a, b), sum) << a << " " << b;
      EXPECT_EQ(kernels::reduce_mod(kernels::multiply_mod(a, b)), product) << a << " " << b;
    }
  }
}

TEST(AesSbox, IsInvertible) {
  for (unsigned i = 0; i < 256; ++i) EXPECT_EQ(kernels::kSbox.inverse[kernels::kSbox.forward[i]], i);
}

}  // namespace
}  // namespace cairn::chunk
