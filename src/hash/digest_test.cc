// Known answers: Python's hashlib and the blake3 module, of nothing and of "cairn" a thousand times.
#include "hash/digest.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace cairn::hash {
namespace {

struct Answer {
  const char* name;
  const char* of_nothing;
  const char* of_text;
};

constexpr Answer kAnswers[] = {
    {"blake2b",
     "786a02f742015903c6c6fd852552d272912f4740e15847618a86e217f71f5419d25e1031afee585313896444934eb04b903a685b1448b755d"
     "56f701afe9be2ce",
     "ae62847dd09317b4a97f4ea5e31919146ac491fcff9b76d65bce8820403464cb0c22cd5cf12a6e2fe514fbdf37a00cf166687403a48b8066a"
     "c39b5a82fa4dc55"},
    {"blake2s", "69217a3079908094e11121d042354a7c1f55b6482ca1a51e1b250dfd1ed0eef9",
     "ccc3eec6b91bdd9c987c29b882597885975e0a9ccb1292362379da76bb72178c"},
    {"blake3", "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262",
     "12c0cb9e2c171ee997a932a3db2e35d56df860e6d2c84dfc96c67ececf3123a8"},
    {"md5", "d41d8cd98f00b204e9800998ecf8427e", "e70c8410e2b6bdfe40b70f8f6c0897c1"},
    {"sha1", "da39a3ee5e6b4b0d3255bfef95601890afd80709", "d6d21298a656850b2a730aee2ad7661f6b1bcf42"},
    {"sha224", "d14a028c2a3a2bc9476102bb288234c415a2b01f828ea62ac5b3e42f",
     "46374f7a592926f51cf3c0f656e01809f7db676cb9e12641a1728286"},
    {"sha256", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
     "7682176d4a98078f5b7fb9174f7d83ce2614fbfd1fcf3329a0455e7a6ccaec03"},
    {"sha384", "38b060a751ac96384cd9327eb1b1e36a21fdb71114be07434c0cc7bf63f6e1da274edebfe76f65fbd51ad2f14898b95b",
     "014da8259b758d9ab6d075ee610993dee1914d40f8c6e30807994dcba2ac0cded525045c51952b9372ea2dbb29213d7e"},
    {"sha3_224", "6b4e03423667dbb73b6e15454f0eb1abd4597f9a1b078e3f5b5a6bc7",
     "e9cef04fc159fe76c95fa4893ebf45a9d8c46fce37f643eee2e75828"},
    {"sha3_256", "a7ffc6f8bf1ed76651c14756a061d662f580ff4de43b49fa82d80a4b80f8434a",
     "352f57c81e0bf4e688c2346e3b8a8f1d671696875d66e53b3b603ecb06288bcc"},
    {"sha3_384", "0c63a75b845e4f7d01107d852e4c2485c51a50aaaa94fc61995e71bbee983a2ac3713831264adb47fb6bd1e058d5f004",
     "f9f32976b1a34838a5be7c51577591500398660ed1ad682c7d1a14ab7007dafccd3388d4f4675e5321f9be756f26f1c9"},
    {"sha3_512",
     "a69f73cca23a9ac5c8b567dc185a756e97c982164fe25859e0d1dcc1475c80a615b2123af1f5f94c11e3e9402c3ac558f500199d95b6d3e30"
     "1758586281dcd26",
     "b6cf1c22c018d760317cfb4ba105441545676c2a7ad93f64fcc14369500a0e3b65d0afd469d981c31ef2bc7a7dcbdb617060e1a3615870ecb"
     "d082b81d91cd2ae"},
    {"sha512",
     "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a"
     "538327af927da3e",
     "ce9a902530893382a74985c2bc4aa02f0c69d0fcd62efa7ba95278f030de22351c6a799db9054e75f6dcb947a0a354ff8181a881b1cd3df3a"
     "84f8461d0c676c2"},
};

std::string thousand_cairns() {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "cairn";
  return text;
}

TEST(Digest, NamesAreSortedAndComplete) {
  const std::span<const std::string_view> names = digest_names();
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
  ASSERT_EQ(names.size(), std::size(kAnswers));
  for (const Answer& answer : kAnswers)
    EXPECT_EQ(std::count(names.begin(), names.end(), answer.name), 1) << answer.name;
}

TEST(Digest, OfNothing) {
  for (const Answer& answer : kAnswers) {
    Result<Digest> digest = Digest::make(answer.name);
    ASSERT_TRUE(digest) << answer.name;
    digest->update(Bytes());
    EXPECT_EQ(to_hex(bytes_of(digest->finish())), answer.of_nothing) << answer.name;
  }
}

TEST(Digest, InPieces) {
  const std::string text = thousand_cairns();
  for (const Answer& answer : kAnswers) {
    for (const std::size_t piece : {1U, 7U, 64U, 1000U, 5000U}) {
      Result<Digest> digest = Digest::make(answer.name);
      ASSERT_TRUE(digest) << answer.name;
      for (std::size_t at = 0; at < text.size(); at += piece) {
        digest->update(bytes_of(std::string_view(text).substr(at, piece)));
      }
      EXPECT_EQ(to_hex(bytes_of(digest->finish())), answer.of_text) << answer.name << ' ' << piece;
    }
  }
}

TEST(Digest, UnknownNameIsUsage) {
  for (const char* name : {"", "sha", "SHA256", "sha256 ", "crc32"}) {
    const Result<Digest> digest = Digest::make(name);
    ASSERT_FALSE(digest) << name;
    EXPECT_EQ(digest.error().code(), Code::Usage);
  }
}

}  // namespace
}  // namespace cairn::hash
