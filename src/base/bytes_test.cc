#include "base/bytes.h"

#include <gtest/gtest.h>

#include "base/buffer.h"

namespace cairn {
namespace {

TEST(Hex, RoundTripsEveryByte) {
  std::array<std::byte, 256> all{};
  for (std::size_t i = 0; i < 256; ++i) all[i] = static_cast<std::byte>(i);
  const std::string text = to_hex(all);
  std::array<std::byte, 256> back{};
  ASSERT_TRUE(from_hex(text, back));
  EXPECT_EQ(all, back);
}

TEST(Hex, RefusesWrongLengthAndWrongDigits) {
  std::array<std::byte, 2> out{};
  EXPECT_FALSE(from_hex("abc", out));
  EXPECT_FALSE(from_hex("abcde", out));
  EXPECT_FALSE(from_hex("ab g", out));
  EXPECT_TRUE(from_hex("ABcd", out));
  EXPECT_EQ(out[0], std::byte{0xab});
}

TEST(Endian, LoadsAndStoresBothOrders) {
  std::array<std::byte, 8> raw{};
  store_le<std::uint32_t>(raw.data(), 0x01020304U);
  EXPECT_EQ(raw[0], std::byte{4});
  EXPECT_EQ(load_le<std::uint32_t>(raw.data()), 0x01020304U);
  EXPECT_EQ(load_be<std::uint32_t>(raw.data()), 0x04030201U);
  store_be<std::uint64_t>(raw.data(), 1);
  EXPECT_EQ(raw[7], std::byte{1});
}

TEST(Buffer, KeepsContentWhileGrowingAndCapacityWhenCleared) {
  Buffer buffer;
  for (int i = 0; i < 1000; ++i) buffer.append(bytes_of("0123456789"));
  ASSERT_EQ(buffer.size(), 10000U);
  EXPECT_EQ(text_of(buffer.view(9990, 10)), "0123456789");
  const std::size_t capacity = buffer.capacity();
  buffer.clear();
  EXPECT_EQ(buffer.capacity(), capacity);
}

}  // namespace
}  // namespace cairn
