#include "crypt/ctr_mac.h"

#include <gtest/gtest.h>

#include <vector>

#include "crypt/vectors_test.h"

namespace cairn::crypt {
namespace {

using testing::bytes_from_hex;

constexpr std::size_t kHead = 1 + CtrMac::kMacSize + CtrMac::kIvSize;  // of an envelope, type byte included

std::vector<std::byte> counting_bytes(std::size_t size) {
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(i % 251);
  return bytes;
}

const nlohmann::json& cases() {
  static const nlohmann::json all =
      nlohmann::json::parse(std::ifstream(std::string(CAIRN_TEST_DATA) + "/vectors/ctr_mac.json"));
  return all.at("cases");
}

CtrMac context_of(const nlohmann::json& one) {
  const bool hmac = one.at("mac") == "hmac-sha256";
  return {hmac ? CtrMac::Mac::HmacSha256 : CtrMac::Mac::Blake2b256, testing::array_from_hex<32>(one.at("enc_key")),
          bytes_from_hex(one.at("mac_key"))};
}

std::array<std::byte, 8> iv_of(const nlohmann::json& one) {
  const std::uint64_t number = one.at("iv");
  std::array<std::byte, 8> iv;
  for (std::size_t i = 0; i < 8; ++i) iv.at(i) = static_cast<std::byte>(number >> (56 - 8 * i));
  return iv;
}

TEST(CtrMac, SealsAsBorg) {
  for (const nlohmann::json& one : cases()) {
    CtrMac context = context_of(one);
    const std::vector<std::byte> plain = counting_bytes(one.at("length"));
    const std::array<std::byte, 8> iv = iv_of(one);
    std::vector<std::byte> envelope(kHead + plain.size());
    envelope[0] = std::byte{3};
    std::copy(iv.begin(), iv.end(), envelope.begin() + 1 + CtrMac::kMacSize);
    const MutableBytes whole(envelope);
    ASSERT_TRUE(context.seal(iv, plain, whole.subspan(kHead), whole.subspan(1, CtrMac::kMacSize)));
    if (one.contains("envelope")) {
      EXPECT_EQ(to_hex(envelope), one.at("envelope").get<std::string>()) << one.at("length");
    } else {
      EXPECT_EQ(hash::sha256(envelope).hex(), one.at("envelope_sha256").get<std::string>()) << one.at("length");
    }
  }
}

TEST(CtrMac, OpensWhatBorgSealed) {
  std::size_t opened = 0;
  for (const nlohmann::json& one : cases()) {
    if (!one.contains("envelope")) continue;
    CtrMac context = context_of(one);
    const Buffer envelope = bytes_from_hex(one.at("envelope"));
    const Bytes whole = envelope;
    std::vector<std::byte> plain(whole.size() - kHead);
    ASSERT_TRUE(context.open(iv_of(one), whole.subspan(kHead), whole.subspan(1, CtrMac::kMacSize), plain));
    EXPECT_EQ(plain, counting_bytes(one.at("length")));
    ++opened;
  }
  EXPECT_GT(opened, 20U);
}

class CtrMacDamage : public ::testing::TestWithParam<CtrMac::Mac> {};

TEST_P(CtrMacDamage, AnyFlippedBitIsRefused) {
  const std::vector<std::byte> mac_key = counting_bytes(128);
  CtrMac context(GetParam(), {std::byte{9}}, mac_key);
  const std::vector<std::byte> plain = counting_bytes(33);
  std::vector<std::byte> iv = counting_bytes(8);
  std::vector<std::byte> sealed(plain.size());
  std::vector<std::byte> mac(CtrMac::kMacSize);
  ASSERT_TRUE(context.seal(iv, plain, sealed, mac));
  std::vector<std::byte> out(plain.size());
  for (std::vector<std::byte>* part : {&iv, &sealed, &mac}) {
    for (std::size_t bit = 0; bit < part->size() * 8; ++bit) {
      const std::byte flip{static_cast<unsigned char>(1U << bit % 8)};
      (*part)[bit / 8] ^= flip;
      EXPECT_FALSE(context.open(iv, sealed, mac, out)) << bit;
      (*part)[bit / 8] ^= flip;
    }
  }
  ASSERT_TRUE(context.open(iv, sealed, mac, out));
  EXPECT_EQ(out, plain);
}

TEST_P(CtrMacDamage, SealsAndOpensInPlace) {
  const std::vector<std::byte> mac_key = counting_bytes(128);
  CtrMac context(GetParam(), {std::byte{9}}, mac_key);
  const std::vector<std::byte> iv = counting_bytes(8);
  const std::vector<std::byte> plain = counting_bytes(5000);
  std::vector<std::byte> apart(plain.size());
  std::vector<std::byte> mac(CtrMac::kMacSize);
  ASSERT_TRUE(context.seal(iv, plain, apart, mac));
  std::vector<std::byte> same = plain;
  ASSERT_TRUE(context.seal(iv, same, same, mac));
  EXPECT_EQ(same, apart);
  ASSERT_TRUE(context.open(iv, same, mac, same));
  EXPECT_EQ(same, plain);
}

INSTANTIATE_TEST_SUITE_P(Both, CtrMacDamage, ::testing::Values(CtrMac::Mac::HmacSha256, CtrMac::Mac::Blake2b256));

}  // namespace
}  // namespace cairn::crypt
