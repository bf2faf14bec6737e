#include "crypt/key_blob.h"

#include <gtest/gtest.h>

#include "crypt/base64.h"
#include "crypt/environment_test.h"
#include "crypt/key_derivation.h"
#include "crypt/vectors_test.h"
#include "msgpack/writer.h"

namespace cairn::crypt {
namespace {

using testing::bytes_from_hex;
using testing::vector_material;
using testing::vectors;

class KeyBlobTest : public testing::EnvironmentTest {
 protected:
  const KeyMaterial material_ = vector_material();
  const RepositoryId repository_ = material_.repository_id;

  void weaken(bool weak) {
    if (weak)
      set("BORG_TESTONLY_WEAKEN_KDF", "1");
    else
      unset("BORG_TESTONLY_WEAKEN_KDF");
  }
  KeyBlob wrapped(std::string_view passphrase, std::optional<std::string_view> label = "x") {
    return parse_key_blob(wrap(material_, passphrase, label).value(), repository_).value();
  }
  std::string text_of_map(const EncryptedKey& key) const {
    Buffer body;
    write_encrypted_key(key, body);
    return key_blob_text(body, repository_);
  }
  Code parse_error(std::string_view text) const { return parse_key_blob(text, repository_).error().code(); }
};

void expect_equal(const KeyMaterial& a, const KeyMaterial& b) {
  EXPECT_EQ(a.crypt_key, b.crypt_key);
  EXPECT_EQ(a.id_key, b.id_key);
  EXPECT_EQ(a.chunk_seed, b.chunk_seed);
  EXPECT_EQ(a.repository_id, b.repository_id);
}

TEST_F(KeyBlobTest, Argon2Vectors) {
  weaken(false);
  ASSERT_FALSE(vectors().at("argon2").empty());
  for (const auto& vector : vectors().at("argon2")) {
    const std::string type = vector.at("type");
    const Argon2Costs costs{
        .type = type == "id"  ? Argon2Type::Id
                : type == "i" ? Argon2Type::I
                              : Argon2Type::D,
        .time = vector.at("time_cost"),
        .memory_kib = vector.at("memory_cost_kib"),
        .lanes = vector.at("parallelism"),
    };
    for (const unsigned threads : {1U, 3U}) {
      const auto key =
          passphrase_key(vector.at("passphrase").get<std::string>(), bytes_from_hex(vector.at("salt")), costs, threads);
      ASSERT_TRUE(key);
      EXPECT_EQ(to_hex(*key), vector.at("key").get<std::string>()) << vector;
    }
  }
}

TEST_F(KeyBlobTest, BlobsOfBorgUnlock) {
  ASSERT_FALSE(vectors().at("key_blobs").empty());
  for (const auto& vector : vectors().at("key_blobs")) {
    SCOPED_TRACE(vector.at("passphrase").get<std::string>());
    weaken(vector.at("weakened_kdf"));
    const std::string text = vector.at("text");
    const auto blob = parse_key_blob(text, repository_);
    ASSERT_TRUE(blob);
    EXPECT_EQ(blob->id, vector.at("key_id").get<std::string>());
    EXPECT_EQ(blob->has_label, !vector.at("label").is_null());
    EXPECT_EQ(blob->label, blob->has_label ? vector.at("label").get<std::string>() : "");
    EXPECT_EQ(blob->algorithm, "argon2 chacha20-poly1305");
    EXPECT_EQ(to_hex(*key_blob_body(text, repository_)), vector.at("encrypted_key_msgpack").get<std::string>());
    const auto kek =
        passphrase_key(vector.at("passphrase").get<std::string>(), blob->encrypted.salt, blob->encrypted.costs, 2);
    ASSERT_TRUE(kek);
    EXPECT_EQ(to_hex(*kek), vector.at("kek").get<std::string>());

    const auto material = unlock(*blob, vector.at("passphrase").get<std::string>(), repository_);
    ASSERT_TRUE(material);
    expect_equal(*material, material_);
    const auto refused = unlock(*blob, vector.at("passphrase").get<std::string>() + "x", repository_);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code(), Code::PassphraseWrong);
  }
}

TEST_F(KeyBlobTest, MapsAreWrittenAsBorgWritesThem) {
  for (const auto& vector : vectors().at("key_blobs")) {
    const auto blob = parse_key_blob(vector.at("text").get<std::string>(), repository_);
    ASSERT_TRUE(blob);
    EXPECT_EQ(text_of_map(blob->encrypted), vector.at("text").get<std::string>());
    Buffer plain;
    write_key(material_, plain);
    EXPECT_EQ(to_hex(plain), vector.at("key_msgpack").get<std::string>());
  }
}

TEST_F(KeyBlobTest, WhatIsWrappedUnlocks) {
  for (const std::string passphrase : {"", "secret", "p\xc3\xa4ss \xe2\x82\xac", "\xff\xfe"}) {
    const KeyBlob blob = wrapped(passphrase, "bob");
    EXPECT_EQ(blob.label, "bob");
    const auto material = unlock(blob, passphrase, repository_);
    ASSERT_TRUE(material);
    expect_equal(*material, material_);
    EXPECT_EQ(unlock(blob, passphrase + "\n", repository_).error().code(), Code::PassphraseWrong);
  }
  EXPECT_FALSE(wrapped("x", std::nullopt).has_label);
  EXPECT_TRUE(wrapped("x", "").has_label);
}

TEST_F(KeyBlobTest, WrappingTwiceUsesAFreshSalt) {
  EXPECT_NE(wrapped("same").text, wrapped("same").text);
  EXPECT_NE(wrapped("same").encrypted.data, wrapped("same").encrypted.data);
}

TEST_F(KeyBlobTest, NominalCostsAreUsedAndStored) {
  weaken(false);
  const KeyBlob blob = wrapped("full");
  EXPECT_EQ(blob.encrypted.costs.memory_kib, 65536U);
  EXPECT_EQ(blob.encrypted.costs.time, 3U);
  EXPECT_EQ(blob.encrypted.costs.lanes, 4U);
  EXPECT_TRUE(unlock(blob, "full", repository_));
  weaken(true);
  EXPECT_FALSE(unlock(blob, "full", repository_));
}

TEST_F(KeyBlobTest, HeaderDecidesWhoseKeyItIs) {
  const std::string text = wrapped("x").text;
  EXPECT_TRUE(names_repository(text, repository_));
  std::string upper = text;
  for (std::size_t i = 9; i < 73; ++i) upper[i] = static_cast<char>(std::toupper(upper[i]));
  EXPECT_FALSE(names_repository(upper, repository_));
  RepositoryId other = repository_;
  other.raw[31] ^= std::byte{1};
  EXPECT_FALSE(names_repository(text, other));
  EXPECT_EQ(parse_key_blob(text, other).error().code(), Code::RepoIdMismatch);
  EXPECT_EQ(parse_error(""), Code::NotAKeyFile);
  EXPECT_EQ(parse_error("BORG_KEX " + text.substr(9)), Code::NotAKeyFile);
  EXPECT_EQ(parse_error(" " + text), Code::NotAKeyFile);
  EXPECT_EQ(parse_error("BORG_KEY "), Code::RepoIdMismatch);
}

TEST_F(KeyBlobTest, LayoutOfTheBodyDoesNotMatter) {
  const std::string text = wrapped("x").text;
  const std::size_t line_end = text.find('\n');
  std::string body = text.substr(line_end + 1);
  std::string loose = text.substr(0, line_end) + " trailing words\r\n";
  for (const char c : body) loose += std::string(1, c) + "\r ?";
  const auto blob = parse_key_blob(loose, repository_);
  ASSERT_TRUE(blob);
  EXPECT_NE(blob->id, key_id(text));
  EXPECT_TRUE(unlock(*blob, "x", repository_));
}

TEST_F(KeyBlobTest, BodiesThatAreNoKeyAreInvalid) {
  const std::string text = wrapped("x").text;
  EXPECT_EQ(parse_error(text.substr(0, text.find('\n'))), Code::KeyfileInvalid);
  EXPECT_EQ(parse_error(text.substr(0, text.find('\n') + 1)), Code::KeyfileInvalid);
  const Buffer body = std::move(*key_blob_body(text, repository_));
  for (std::size_t size = 0; size < body.size(); ++size)
    ASSERT_EQ(parse_error(key_blob_text(body.view(0, size), repository_)), Code::KeyfileInvalid) << size;
}

TEST_F(KeyBlobTest, OtherVersionsAndAlgorithmsAreUnsupported) {
  EncryptedKey key = wrapped("x").encrypted;
  key.algorithm = "argon2 aes256-ctr hmac-sha256";
  EXPECT_EQ(parse_error(text_of_map(key)), Code::UnsupportedKeyFormat);
  key = wrapped("x").encrypted;
  Buffer body;
  write_encrypted_key(key, body);
  body.data()[body.size() - 1] = std::byte{2};  // the version is the last value
  EXPECT_EQ(parse_error(key_blob_text(body, repository_)), Code::UnsupportedKeyFormat);
}

TEST_F(KeyBlobTest, Argon2CostsAreBounded) {
  const EncryptedKey good = wrapped("x").encrypted;
  const auto outcome = [&](std::uint32_t time, std::uint32_t memory, std::uint32_t lanes) {
    EncryptedKey key = good;
    key.costs.time = time;
    key.costs.memory_kib = memory;
    key.costs.lanes = lanes;
    const auto blob = parse_key_blob(text_of_map(key), repository_);
    return blob ? std::optional<Code>() : blob.error().code();
  };
  EXPECT_EQ(outcome(3, 65536, 4), std::nullopt);
  EXPECT_EQ(outcome(16, 4U << 20U, 255), std::nullopt);
  EXPECT_EQ(outcome(1, 8, 1), std::nullopt);
  EXPECT_EQ(outcome(0, 65536, 4), Code::KeyfileInvalid);
  EXPECT_EQ(outcome(1001, 8, 1), Code::KeyfileInvalid);
  EXPECT_EQ(outcome(1, (4U << 20U) + 1, 4), Code::KeyfileInvalid);
  EXPECT_EQ(outcome(17, 4U << 20U, 4), Code::KeyfileInvalid);
  EXPECT_EQ(outcome(3, 65536, 0), Code::KeyfileInvalid);
  EXPECT_EQ(outcome(3, 65536, 256), Code::KeyfileInvalid);
  EXPECT_EQ(outcome(3, 31, 4), Code::KeyfileInvalid);
  EXPECT_EQ(outcome(0xffffffff, 0xffffffff, 0xffffffff), Code::KeyfileInvalid);
}

// A Key map with one field replaced.
class KeyMapTest : public ::testing::Test {
 protected:
  struct Fields {
    std::int64_t version = 2;
    std::int64_t chunk_seed = -5;
    std::size_t crypt_key = 64;
    std::size_t id_key = 32;
    std::size_t repository_id = 32;
    bool extra = false;
  };
  static Result<KeyMaterial> parsed(const Fields& fields, const RepositoryId& repository = {}) {
    const Buffer zeros = bytes_from_hex(std::string(512, '0'));
    Buffer map;
    msgpack::Writer writer(map);
    writer.map(fields.extra ? 6 : 5);
    writer.str("chunk_seed");
    writer.integer(fields.chunk_seed);
    if (fields.extra) {
      writer.str("tam_required");
      writer.boolean(true);
    }
    for (const auto& [name, size] : {std::pair("crypt_key", fields.crypt_key),
                                     {"id_key", fields.id_key},
                                     {"repository_id", fields.repository_id}}) {
      writer.str(name);
      writer.bin(zeros.view(0, size));
    }
    writer.str("version");
    writer.integer(fields.version);
    return parse_key(map, repository);
  }
};

TEST_F(KeyMapTest, VersionsOneAndTwoAreRead) {
  EXPECT_EQ(parsed({})->chunk_seed, -5);
  EXPECT_TRUE(parsed({.version = 1}));
  EXPECT_TRUE(parsed({.extra = true}));
  EXPECT_EQ(parsed({.version = 3}).error().code(), Code::UnsupportedKeyFormat);
  EXPECT_EQ(parsed({.version = 0}).error().code(), Code::UnsupportedKeyFormat);
  EXPECT_EQ(parsed({.version = -1}).error().code(), Code::KeyfileInvalid);
}

TEST_F(KeyMapTest, SizesAndRangesAreChecked) {
  EXPECT_EQ(parsed({.crypt_key = 63}).error().code(), Code::KeyfileInvalid);
  EXPECT_EQ(parsed({.crypt_key = 0}).error().code(), Code::KeyfileInvalid);
  EXPECT_EQ(parsed({.id_key = 128}).error().code(), Code::KeyfileInvalid);
  EXPECT_EQ(parsed({.repository_id = 31}).error().code(), Code::KeyfileInvalid);
  EXPECT_TRUE(parsed({.chunk_seed = 2147483647}));
  EXPECT_TRUE(parsed({.chunk_seed = -2147483648LL}));
  EXPECT_EQ(parsed({.chunk_seed = 2147483648LL}).error().code(), Code::KeyfileInvalid);
  EXPECT_EQ(parsed({.chunk_seed = -2147483649LL}).error().code(), Code::KeyfileInvalid);
}

TEST_F(KeyMapTest, AnotherRepositorysSecretsAreRefused) {
  RepositoryId other;
  other.raw[0] = std::byte{1};
  EXPECT_EQ(parsed({}, other).error().code(), Code::KeyfileMismatch);
}

TEST_F(KeyMapTest, EveryTruncationIsInvalid) {
  const KeyMaterial material = vector_material();
  Buffer map;
  write_key(material, map);
  for (std::size_t size = 0; size < map.size(); ++size)
    ASSERT_EQ(parse_key(map.view(0, size), material.repository_id).error().code(), Code::KeyfileInvalid) << size;
  EXPECT_TRUE(parse_key(map, material.repository_id));
}

TEST_F(KeyBlobTest, UnlockFirstTakesTheFirstThatFits) {
  std::vector<KeyBlob> blobs;
  for (const char* passphrase : {"a", "b", "c", "b", "b", "c"}) blobs.push_back(wrapped(passphrase));
  EXPECT_EQ(unlock_first(blobs, "a", repository_)->index, 0U);
  // Repeated, since the order in which the threads finish varies.
  for (int i = 0; i < 200; ++i) {
    ASSERT_EQ(unlock_first(blobs, "b", repository_)->index, 1U);
    ASSERT_EQ(unlock_first(blobs, "c", repository_)->index, 2U);
  }
  expect_equal(unlock_first(blobs, "c", repository_)->material, material_);
  EXPECT_EQ(unlock_first(blobs, "d", repository_).error().code(), Code::PassphraseWrong);
  EXPECT_EQ(unlock_first({}, "a", repository_).error().code(), Code::PassphraseWrong);
}

TEST_F(KeyBlobTest, UnlockFirstSkipsCandidatesOfAnotherRepository) {
  // Its text was put under this repository's name, as someone with access to the repository might.
  RepositoryId other = repository_;
  other.raw[0] ^= std::byte{1};
  KeyMaterial foreign = vector_material();
  foreign.repository_id = other;
  const std::string text = wrap(foreign, "a", "x").value();
  const Buffer body = std::move(*key_blob_body(text, other));
  std::vector<KeyBlob> blobs;
  blobs.push_back(parse_key_blob(key_blob_text(body, repository_), repository_).value());
  EXPECT_EQ(unlock(blobs[0], "a", repository_).error().code(), Code::KeyfileMismatch);
  EXPECT_EQ(unlock_first(blobs, "a", repository_).error().code(), Code::PassphraseWrong);
  blobs.push_back(wrapped("a"));
  EXPECT_EQ(unlock_first(blobs, "a", repository_)->index, 1U);
}

TEST(Base64, EncodesAndDecodesEveryLength) {
  Buffer bytes;
  for (int i = 0; i < 300; ++i) {
    Buffer back;
    ASSERT_TRUE(decode_base64(encode_base64(bytes), back));
    ASSERT_EQ(to_hex(back), to_hex(bytes));
    bytes.push_back(static_cast<std::byte>(i * 37 + 251));
  }
  EXPECT_EQ(encode_base64(bytes_of("\xfb\xff\xfe")), "+//+");
  EXPECT_EQ(encode_base64(bytes_of("f")), "Zg==");
  EXPECT_EQ(encode_base64(bytes_of("foobar")), "Zm9vYmFy");
}

// Expected values: binascii.a2b_base64 of Python 3.11.
TEST(Base64, DecodesAsLenientlyAsBorg) {
  const std::vector<std::pair<std::string, std::optional<std::string>>> cases = {
      {"", ""},         {"Zg==", "f"},         {"Zg=", std::nullopt}, {"Zg", std::nullopt},   {"Z", std::nullopt},
      {"Zm8=", "fo"},   {"Zm8", std::nullopt}, {"Zm9v", "foo"},       {"Z m\n9\r-v!", "foo"}, {"Zg==Zm9v", "f"},
      {"=Zm9v", "foo"}, {"Z=m9v", "foo"},      {"Zg=x=", "f\x0c"},    {"Zm8=\n\n", "fo"},     {"====", ""},
  };
  for (const auto& [text, bytes] : cases) {
    Buffer back;
    const bool decoded = decode_base64(text, back);
    ASSERT_EQ(decoded, bytes.has_value()) << text;
    if (bytes) {
      EXPECT_EQ(text_of(back), *bytes) << text;
    }
  }
}

}  // namespace
}  // namespace cairn::crypt
