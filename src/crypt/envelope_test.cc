#include "crypt/envelope.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>
#include <set>
#include <thread>

#include "crypt/vectors_test.h"

namespace cairn::crypt {
namespace {

using testing::bytes_from_hex;
using testing::suite_of;
using testing::vector_material;
using testing::vectors;

std::vector<Suite> all_suites() {
  std::vector<Suite> suites;
  for (const auto& mode : vectors().at("modes")) suites.push_back(suite_of(mode));
  return suites;
}

std::string hex_of(const nlohmann::json& value) { return value.get<std::string>(); }

Buffer joined(Bytes a, Bytes b) {
  Buffer out;
  out.append(a);
  out.append(b);
  return out;
}

Buffer pattern(std::size_t size) {
  Buffer out(size);
  for (std::size_t i = 0; i < size; ++i) out.data()[i] = static_cast<std::byte>((i * 167 + i / 256 * 13 + 7) % 256);
  return out;
}

Result<Buffer> sealed(Sealer& sealer, const Suite& suite, Bytes aad, Bytes payload) {
  Buffer out(payload.size() + suite.overhead());
  CAIRN_CHECKED(sealer.seal(aad, payload, out));
  return out;
}

std::uint64_t iv_of(Bytes envelope) { return load_be<std::uint64_t>(envelope.data()) & 0xffffffffffffULL; }

TEST(Envelope, AeadVectorsSealAndOpen) {
  const KeyMaterial material = vector_material();
  ASSERT_FALSE(vectors().at("aead_envelope").empty());
  for (const auto& vector : vectors().at("aead_envelope")) {
    const Suite suite = find_suite(hex_of(vector.at("cipher")), "sha256").value();
    const Buffer aad = joined(bytes_from_hex(vector.at("extra_aad")), bytes_from_hex(vector.at("id")));
    const Buffer plain = bytes_from_hex(vector.at("plaintext"));
    Sealer sealer(suite, material);
    sealer.use_session({testing::array_from_hex<24>(vector.at("session_id")), vector.at("iv").get<std::uint64_t>()});
    const auto envelope = sealed(sealer, suite, aad, plain);
    ASSERT_TRUE(envelope);
    EXPECT_EQ(to_hex(*envelope), hex_of(vector.at("envelope")));
    Buffer payload;
    ASSERT_TRUE(Opener(suite, material).open(aad, *envelope, payload));
    EXPECT_EQ(to_hex(payload), hex_of(vector.at("plaintext")));
  }
}

TEST(Envelope, MacVectorsSealAndOpen) {
  const KeyMaterial material = vector_material();
  ASSERT_FALSE(vectors().at("mac_envelope").empty());
  for (const auto& vector : vectors().at("mac_envelope")) {
    const Suite suite = suite_of(vector);
    const Buffer aad = joined(bytes_from_hex(vector.at("extra_aad")), bytes_from_hex(vector.at("id")));
    Sealer sealer(suite, material);
    const auto envelope = sealed(sealer, suite, aad, bytes_from_hex(vector.at("payload")));
    ASSERT_TRUE(envelope);
    EXPECT_EQ(to_hex(*envelope), hex_of(vector.at("envelope")));
    Buffer payload;
    ASSERT_TRUE(Opener(suite, material).open(aad, *envelope, payload));
    EXPECT_EQ(to_hex(payload), hex_of(vector.at("payload")));
  }
}

TEST(Envelope, StoreObjectsOfBorgOpen) {
  const KeyMaterial material = vector_material();
  ASSERT_FALSE(vectors().at("store_objects").empty());
  for (const auto& vector : vectors().at("store_objects")) {
    Opener opener(suite_of(vector), material);
    Buffer payload;
    ASSERT_TRUE(opener.open(bytes_from_hex(vector.at("aad")), bytes_from_hex(vector.at("envelope")), payload))
        << vector.at("name");
    EXPECT_EQ(to_hex(payload), hex_of(vector.at("payload")));
  }
}

// The two slots of a repository object: bytes 0..41 and the slot's letter, then the wanted id, are the additional data.
struct Slots {
  Buffer meta_aad, data_aad;
  Bytes meta, data;
};
std::optional<Slots> slots_of(Bytes object, Bytes id) {
  if (object.size() < 49) return std::nullopt;
  const std::size_t meta = load_le<std::uint32_t>(object.data() + 41);
  const std::size_t data = load_le<std::uint32_t>(object.data() + 45);
  if (object.size() != 49 + meta + data) return std::nullopt;
  const auto aad = [&](std::string_view letter) { return joined(joined(object.first(41), bytes_of(letter)), id); };
  return Slots{aad("M"), aad("D"), object.subspan(49, meta), object.subspan(49 + meta, data)};
}

TEST(Envelope, RepositoryObjectsOfBorgOpen) {
  const KeyMaterial material = vector_material();
  ASSERT_FALSE(vectors().at("repo_objects").empty());
  for (const auto& vector : vectors().at("repo_objects")) {
    const Buffer object = bytes_from_hex(vector.at("object"));
    const Buffer id = bytes_from_hex(vector.at("id"));
    const auto slots = slots_of(object, id);
    ASSERT_TRUE(slots);
    Opener opener(suite_of(vector), material);
    Buffer payload;
    EXPECT_TRUE(opener.open(slots->meta_aad, slots->meta, payload));
    ASSERT_TRUE(opener.open(slots->data_aad, slots->data, payload));
    // Obfuscated objects carry padding after the compressed bytes.
    EXPECT_TRUE(to_hex(payload).starts_with(hex_of(vector.at("compressed"))));
  }
}

TEST(Envelope, DamagedObjectsAreRefused) {
  const KeyMaterial material = vector_material();
  std::size_t seen = 0;
  for (const auto& vector : vectors().at("reject")) {
    const std::string what = vector.at("what");
    const bool of_envelope = what.find("envelope byte") != std::string::npos || what.starts_with("meta envelope ") ||
                             what == "header chunk id flipped" || what == "last payload byte changed" ||
                             what == "meta and data slots swapped" || what == "object read under another id" ||
                             what == "meta_size-1 and data_size+1" || what == "version 1 in a version 2 object" ||
                             what.starts_with("well-formed version 1");
    if (!of_envelope) continue;
    ++seen;
    const Buffer object = bytes_from_hex(vector.at("object"));
    const Buffer id = bytes_from_hex(vector.at("id"));
    const auto slots = slots_of(object, id);
    ASSERT_TRUE(slots) << what;
    Opener opener(suite_of(vector), material);
    Buffer payload;
    const Status meta = opener.open(slots->meta_aad, slots->meta, payload);
    const Status data = opener.open(slots->data_aad, slots->data, payload);
    ASSERT_FALSE(meta && data) << what;
    EXPECT_EQ((meta ? data : meta).error().code(), Code::Integrity) << what;
    EXPECT_TRUE(meta || data || payload.empty());
  }
  EXPECT_GE(seen, 70U);
}

TEST(Envelope, ErrorsNameTheFirstProblem) {
  const KeyMaterial material = vector_material();
  for (const Suite& suite : all_suites()) {
    Sealer sealer(suite, material);
    Buffer envelope = std::move(*sealed(sealer, suite, bytes_of("aad"), bytes_of("payload")));
    Opener opener(suite, material);
    Buffer payload;
    EXPECT_EQ(opener.open({}, {}, payload).error().message(), "truncated envelope");
    EXPECT_EQ(opener.open(bytes_of("aad"), envelope.view(0, suite.overhead() - 1), payload).error().message(),
              "truncated envelope");
    const Status other = opener.open(bytes_of("aae"), envelope, payload);
    ASSERT_FALSE(other);
    EXPECT_TRUE(other.error().message().starts_with(suite.encrypts() ? "Could not decrypt ["
                                                                     : "envelope tag verification failed"));
    envelope.data()[0] ^= std::byte{0x80};
    EXPECT_EQ(opener.open(bytes_of("aad"), envelope, payload).error().message(), "Invalid encryption envelope");
  }
}

TEST(Envelope, EverySingleBitFlipIsRefused) {
  const KeyMaterial material = vector_material();
  for (const Suite& suite : all_suites()) {
    for (const std::size_t size : {0U, 1U, 16U, 45U}) {
      Sealer sealer(suite, material);
      Buffer aad = pattern(73);
      Buffer envelope = std::move(*sealed(sealer, suite, aad, pattern(size)));
      Opener opener(suite, material);
      Buffer payload;
      for (const auto& [bytes, name] : {std::pair(envelope.span(), "envelope"), std::pair(aad.span(), "aad")}) {
        for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
          bytes[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
          const Status opened = opener.open(aad, envelope, payload);
          ASSERT_FALSE(opened) << suite.encryption() << " " << name << " bit " << bit;
          ASSERT_EQ(opened.error().code(), Code::Integrity);
          ASSERT_TRUE(payload.empty());
          bytes[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
        }
      }
      EXPECT_TRUE(opener.open(aad, envelope, payload));
    }
  }
}

TEST(Envelope, EverySizeComesBack) {
  const KeyMaterial material = vector_material();
  for (const Suite& suite : all_suites()) {
    Sealer sealer(suite, material);
    Opener opener(suite, material);
    Buffer payload;
    std::vector<std::size_t> sizes = {4095, 4096, 4097, 65535, 1 << 20, (2 << 20) + 5};
    for (std::size_t size = 0; size <= 300; ++size) sizes.push_back(size);
    for (const std::size_t size : sizes) {
      const Buffer plain = pattern(size);
      // The longest additional data crosses the size up to which the two parts are joined.
      const Buffer aad = pattern(size % 301);
      const auto envelope = sealed(sealer, suite, aad, plain);
      ASSERT_TRUE(envelope);
      ASSERT_TRUE(opener.open(aad, *envelope, payload)) << suite.encryption() << " " << size;
      ASSERT_TRUE(std::equal(plain.view().begin(), plain.view().end(), payload.view().begin(), payload.view().end()));
    }
  }
}

TEST(Envelope, AnotherKeyDoesNotOpen) {
  const KeyMaterial material = vector_material();
  KeyMaterial other = vector_material();
  other.crypt_key[63] ^= std::byte{1};
  for (const Suite& suite : all_suites()) {
    Sealer sealer(suite, material);
    const auto envelope = sealed(sealer, suite, {}, bytes_of("secret"));
    Buffer payload;
    EXPECT_FALSE(Opener(suite, other).open({}, *envelope, payload));
  }
}

TEST(Envelope, ReservedByteIsAuthenticatedButNotRequiredToBeZero) {
  const KeyMaterial material = vector_material();
  const Suite suite = find_suite("authenticated-sha256", "sha256").value();
  const hash::Key256 key = derive_key(material.crypt_key, {}, "borg-repoobj-mac-hmac-sha256");
  const std::array header{std::byte{0x50}, std::byte{0x01}};
  const std::array no_aad{std::byte{0}, std::byte{0}};
  const Digest256 tag = hash::HmacSha256(key)({header, no_aad, bytes_of("x")});
  const Buffer envelope = joined(joined(header, tag.bytes()), bytes_of("x"));
  Buffer payload;
  EXPECT_TRUE(Opener(suite, material).open({}, envelope, payload));
}

TEST(Envelope, TooLongAdditionalDataOfAMacIsAnInternalError) {
  const KeyMaterial material = vector_material();
  const Suite suite = find_suite("authenticated-blake3", "blake3").value();
  Sealer sealer(suite, material);
  EXPECT_TRUE(sealed(sealer, suite, pattern(65535), {}));
  const auto refused = sealed(sealer, suite, pattern(65536), {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), Code::Internal);
}

TEST(Opener, TrustUnverifiedSkipsOnlyTheTag) {
  const KeyMaterial material = vector_material();
  const KeyMaterial zero;
  const Suite suite = find_suite("authenticated-blake3", "blake3").value();
  Sealer sealer(suite, material);
  const auto envelope = sealed(sealer, suite, bytes_of("a"), bytes_of("content"));
  Opener opener(suite, zero);
  Buffer payload;
  EXPECT_FALSE(opener.open(bytes_of("a"), *envelope, payload));
  opener.trust_unverified();
  ASSERT_TRUE(opener.open(bytes_of("b"), *envelope, payload));
  EXPECT_EQ(text_of(payload), "content");
  EXPECT_FALSE(opener.open({}, envelope->view(0, 33), payload));
}

TEST(Opener, TrustUnverifiedNeverOpensWhatIsEncrypted) {
  const KeyMaterial material = vector_material();
  const Suite suite = find_suite("aes256-ocb", "blake3").value();
  Sealer sealer(suite, material);
  const auto envelope = sealed(sealer, suite, bytes_of("a"), bytes_of("content"));
  Opener opener(suite, material);
  opener.trust_unverified();
  Buffer payload;
  EXPECT_FALSE(opener.open(bytes_of("b"), *envelope, payload));
}

TEST(Opener, MoreSessionsThanItRemembersAllOpen) {
  const KeyMaterial material = vector_material();
  for (const char* cipher : {"aes256-ocb", "chacha20-poly1305"}) {
    const Suite suite = find_suite(cipher, "sha256").value();
    std::vector<Buffer> envelopes;
    for (int i = 0; i < 40; ++i) {
      Sealer sealer(suite, material);
      envelopes.push_back(std::move(*sealed(sealer, suite, {}, pattern(50))));
    }
    Opener opener(suite, material);
    Buffer payload;
    for (const std::size_t stride : {1U, 7U, 3U})
      for (std::size_t i = 0; i < envelopes.size(); ++i)
        ASSERT_TRUE(opener.open({}, envelopes[i * stride % envelopes.size()], payload));
  }
}

TEST(Sealer, SessionRollsAsBorgCountsBlocks) {
  const KeyMaterial material = vector_material();
  const Suite suite = find_suite("aes256-ocb", "sha256").value();
  Sealer sealer(suite, material);
  sealer.use_session({.id = {}, .next_iv = 1, .block_limit = 60});
  // The first row starts a session too: the given one.
  std::string last_session = std::string(48, '0');
  bool first = true;
  for (const auto& row : vectors().at("session_roll").at("rows")) {
    const Buffer aad = pattern(row[1].get<std::size_t>() + row[2].get<std::size_t>());
    const auto envelope = sealed(sealer, suite, aad, pattern(row[0]));
    ASSERT_TRUE(envelope);
    const std::string session = to_hex(envelope->view(8, 24));
    EXPECT_EQ(first || session != last_session, row[4].get<bool>()) << row;
    EXPECT_EQ(iv_of(*envelope), row[5].get<std::uint64_t>()) << row;
    last_session = session;
    first = false;
  }
}

TEST(Sealer, ChaChaSessionsDoNotRollOnBlocks) {
  const KeyMaterial material = vector_material();
  const Suite suite = find_suite("chacha20-poly1305", "sha256").value();
  Sealer sealer(suite, material);
  sealer.use_session({.id = {}, .next_iv = 1, .block_limit = 10});
  for (std::uint64_t iv = 1; iv <= 50; ++iv) {
    const auto envelope = sealed(sealer, suite, {}, pattern(100));
    EXPECT_EQ(iv_of(*envelope), iv);
    EXPECT_EQ(to_hex(envelope->view(8, 24)), std::string(48, '0'));
  }
}

TEST(Sealer, LastIvIsFollowedByANewSession) {
  const KeyMaterial material = vector_material();
  const Suite suite = find_suite("chacha20-poly1305", "blake3").value();
  Sealer sealer(suite, material);
  sealer.use_session({.id = {}, .next_iv = (std::uint64_t{1} << 48U) - 1});
  const auto last = sealed(sealer, suite, {}, bytes_of("x"));
  const auto next = sealed(sealer, suite, {}, bytes_of("x"));
  EXPECT_EQ(iv_of(*last), (std::uint64_t{1} << 48U) - 1);
  EXPECT_EQ(iv_of(*next), 1U);
  EXPECT_NE(to_hex(next->view(8, 24)), std::string(48, '0'));
  Opener opener(suite, material);
  Buffer payload;
  EXPECT_TRUE(opener.open({}, *last, payload));
  EXPECT_TRUE(opener.open({}, *next, payload));
}

TEST(Sealer, OneShotMessagesHaveIvZeroAndASessionEach) {
  const KeyMaterial material = vector_material();
  const Suite suite = find_suite("aes256-ocb", "sha256").value();
  Buffer a(5 + suite.overhead());
  Buffer b(5 + suite.overhead());
  ASSERT_TRUE(Sealer::seal_once(suite, material, bytes_of("aad"), bytes_of("hello"), a));
  ASSERT_TRUE(Sealer::seal_once(suite, material, bytes_of("aad"), bytes_of("hello"), b));
  EXPECT_EQ(iv_of(a), 0U);
  EXPECT_EQ(iv_of(b), 0U);
  EXPECT_NE(to_hex(a.view(8, 24)), to_hex(b.view(8, 24)));
  Opener opener(suite, material);
  Buffer payload;
  ASSERT_TRUE(opener.open(bytes_of("aad"), b, payload));
  EXPECT_EQ(text_of(payload), "hello");
}

TEST(Sealer, ThreadsNeverShareSessionAndIv) {
  const KeyMaterial material = vector_material();
  for (const char* cipher : {"aes256-ocb", "chacha20-poly1305"}) {
    const Suite suite = find_suite(cipher, "sha256").value();
    std::mutex mutex;
    std::set<std::string> seen;
    std::size_t messages = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t) {
      threads.emplace_back([&] {
        std::vector<std::string> mine;
        Buffer out(20 + suite.overhead());
        for (int s = 0; s < 10; ++s) {
          Sealer sealer(suite, material);
          for (int i = 0; i < 40; ++i) {
            CAIRN_CHECK(sealer.seal(bytes_of("aad"), pattern(20), out).has_value(), "seal");
            mine.push_back(to_hex(out.view(2, 30)));  // IV and session id
          }
        }
        for (int i = 0; i < 20; ++i) {
          CAIRN_CHECK(Sealer::seal_once(suite, material, {}, pattern(20), out).has_value(), "seal");
          mine.push_back(to_hex(out.view(2, 30)));
        }
        const std::lock_guard lock(mutex);
        messages += mine.size();
        seen.insert(mine.begin(), mine.end());
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(messages, 8U * 420U);
    EXPECT_EQ(seen.size(), messages);
  }
}

TEST(Sealer, MovedSealerGoesOnInItsSession) {
  const KeyMaterial material = vector_material();
  const Suite suite = find_suite("aes256-ocb", "sha256").value();
  Sealer first(suite, material);
  const auto a = sealed(first, suite, {}, bytes_of("x"));
  Sealer second(std::move(first));
  const auto b = sealed(second, suite, {}, bytes_of("x"));
  EXPECT_EQ(to_hex(a->view(8, 24)), to_hex(b->view(8, 24)));
  EXPECT_EQ(iv_of(*a), 1U);
  EXPECT_EQ(iv_of(*b), 2U);
}

}  // namespace
}  // namespace cairn::crypt
