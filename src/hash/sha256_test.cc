// Known answers: FIPS 180-2 appendix B, RFC 4231 section 4.
#include "hash/sha256.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

namespace cairn::hash {
namespace {

TEST(Sha256, KnownAnswers) {
  EXPECT_EQ(sha256(Bytes()).hex(), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256(bytes_of("abc")).hex(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256(bytes_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")).hex(),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256(bytes_of(std::string(1'000'000, 'a'))).hex(),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, PiecesAreJoined) {
  EXPECT_EQ(sha256({bytes_of("a"), Bytes(), bytes_of("bc")}), sha256(bytes_of("abc")));
  EXPECT_EQ(sha256(std::initializer_list<Bytes>{}), sha256(Bytes()));
}

TEST(HmacSha256, KnownAnswers) {
  EXPECT_EQ(HmacSha256(bytes_of(std::string(20, '\x0b')))({bytes_of("Hi There")}).hex(),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  EXPECT_EQ(HmacSha256(bytes_of("Jefe"))({bytes_of("what do ya want "), bytes_of("for nothing?")}).hex(),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(HmacSha256(bytes_of(std::string(131, '\xaa')))(
                {bytes_of("Test Using Larger Than Block-Size Key - Hash Key First")})
                .hex(),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST(HmacSha256, OneKeyManyMessages) {
  const HmacSha256 hmac(bytes_of("Jefe"));
  const Digest256 first = hmac({bytes_of("first")});
  EXPECT_NE(hmac({bytes_of("second")}), first);
  EXPECT_EQ(hmac({bytes_of("first")}), first);
}

TEST(HmacSha256, ThreadsShareOne) {
  const HmacSha256 hmac(bytes_of("Jefe"));
  const Digest256 expected = hmac({bytes_of("message")});
  std::vector<std::thread> threads;
  std::array<bool, 4> same{};
  for (bool& mine : same) {
    threads.emplace_back([&] {
      mine = true;
      for (int i = 0; i < 200; ++i) mine = mine && hmac({bytes_of("mess"), bytes_of("age")}) == expected;
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const bool mine : same) EXPECT_TRUE(mine);
}

}  // namespace
}  // namespace cairn::hash
