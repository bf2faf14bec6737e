// Every form and every edge between forms, both ways, and what a reader must refuse.
#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <vector>

#include "msgpack/reader.h"
#include "msgpack/writer.h"

namespace cairn::msgpack {
namespace {

std::vector<std::byte> unhex(std::string_view hex) {
  std::vector<std::byte> bytes(hex.size() / 2);
  EXPECT_TRUE(from_hex(hex, bytes)) << hex;
  return bytes;
}

template <class F>
std::string written(F&& write) {
  Buffer out;
  Writer writer(out);
  write(writer);
  return to_hex(out);
}

struct IntegerForm {
  std::int64_t value;
  const char* hex;
};
const IntegerForm kIntegers[] = {
    {0, "00"},
    {1, "01"},
    {127, "7f"},
    {128, "cc80"},
    {255, "ccff"},
    {256, "cd0100"},
    {65535, "cdffff"},
    {65536, "ce00010000"},
    {4294967295, "ceffffffff"},
    {4294967296, "cf0000000100000000"},
    {std::numeric_limits<std::int64_t>::max(), "cf7fffffffffffffff"},
    {-1, "ff"},
    {-32, "e0"},
    {-33, "d0df"},
    {-128, "d080"},
    {-129, "d1ff7f"},
    {-32768, "d18000"},
    {-32769, "d2ffff7fff"},
    {-2147483648LL, "d280000000"},
    {-2147483649LL, "d3ffffffff7fffffff"},
    {std::numeric_limits<std::int64_t>::min(), "d38000000000000000"},
};

TEST(Msgpack, IntegersTakeTheSmallestFormAndComeBack) {
  for (const IntegerForm& form : kIntegers) {
    EXPECT_EQ(written([&](Writer& w) { w.integer(form.value); }), form.hex);
    const auto bytes = unhex(form.hex);
    Reader reader(bytes);
    ASSERT_EQ(reader.peek().value(), Type::Integer);
    EXPECT_EQ(reader.integer().value(), form.value);
    EXPECT_TRUE(reader.at_end());
    Reader unsigned_reader(bytes);
    const auto as_unsigned = unsigned_reader.uinteger();
    ASSERT_EQ(as_unsigned.has_value(), form.value >= 0) << form.value;
    if (form.value >= 0) {
      EXPECT_EQ(*as_unsigned, static_cast<std::uint64_t>(form.value));
    }
  }
}

TEST(Msgpack, LargestUnsignedIsNoSignedInteger) {
  constexpr std::uint64_t kLargest = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(written([](Writer& w) { w.uinteger(kLargest); }), "cfffffffffffffffff");
  const auto bytes = unhex("cfffffffffffffffff");
  EXPECT_EQ(Reader(bytes).uinteger().value(), kLargest);
  EXPECT_EQ(Reader(bytes).integer().error().code(), Code::Integrity);
  Reader reader(bytes);
  EXPECT_TRUE(reader.skip().has_value());
  EXPECT_TRUE(reader.at_end());
}

TEST(Msgpack, LongerFormsThanNeededAreRead) {
  for (const char* hex : {"05", "cc05", "cd0005", "ce00000005", "cf0000000000000005", "d005", "d10005", "d200000005",
                          "d30000000000000005"}) {
    const auto bytes = unhex(hex);
    EXPECT_EQ(Reader(bytes).uinteger().value(), 5U) << hex;
    EXPECT_EQ(Reader(bytes).integer().value(), 5) << hex;
  }
  for (const char* hex : {"a161", "d90161", "da000161", "db0000000161"}) {
    EXPECT_EQ(Reader(unhex(hex)).peek().value(), Type::Str);
    const auto bytes = unhex(hex);
    EXPECT_EQ(Reader(bytes).str().value(), "a") << hex;
  }
  for (const char* hex : {"9101", "dc000101", "dd0000000101"}) {
    const auto bytes = unhex(hex);
    EXPECT_EQ(Reader(bytes).array().value(), 1U) << hex;
  }
  for (const char* hex : {"810102", "de00010102", "df000000010102"}) {
    const auto bytes = unhex(hex);
    EXPECT_EQ(Reader(bytes).map().value(), 1U) << hex;
  }
}

TEST(Msgpack, TextAndBytesTakeTheSmallestFormAndComeBack) {
  struct Edge {
    std::size_t size;
    const char* str;
    const char* bin;
  };
  for (const Edge& edge :
       {Edge{0, "a0", "c400"}, Edge{31, "bf", "c41f"}, Edge{32, "d920", "c420"}, Edge{255, "d9ff", "c4ff"},
        Edge{256, "da0100", "c50100"}, Edge{65535, "daffff", "c5ffff"}, Edge{65536, "db00010000", "c600010000"}}) {
    const std::string text(edge.size, '\xff');
    const std::string body = to_hex(bytes_of(text));
    const std::string str = written([&](Writer& w) { w.str(text); });
    const std::string bin = written([&](Writer& w) { w.bin(bytes_of(text)); });
    EXPECT_EQ(str, edge.str + body);
    EXPECT_EQ(bin, edge.bin + body);
    const auto str_bytes = unhex(str);
    const auto bin_bytes = unhex(bin);
    EXPECT_EQ(Reader(str_bytes).str().value(), text);
    EXPECT_EQ(text_of(Reader(bin_bytes).bin().value()), text);
    EXPECT_EQ(Reader(str_bytes).text_or_bin().value(), text);
    EXPECT_EQ(Reader(bin_bytes).text_or_bin().value(), text);
    EXPECT_FALSE(Reader(str_bytes).bin().has_value());
    EXPECT_FALSE(Reader(bin_bytes).str().has_value());
    Reader reader(str_bytes);
    EXPECT_TRUE(reader.skip().has_value());
    EXPECT_TRUE(reader.at_end());
  }
}

TEST(Msgpack, CountsTakeTheSmallestForm) {
  EXPECT_EQ(written([](Writer& w) { w.array(0); }), "90");
  EXPECT_EQ(written([](Writer& w) { w.array(15); }), "9f");
  EXPECT_EQ(written([](Writer& w) { w.array(16); }), "dc0010");
  EXPECT_EQ(written([](Writer& w) { w.array(65535); }), "dcffff");
  EXPECT_EQ(written([](Writer& w) { w.array(65536); }), "dd00010000");
  EXPECT_EQ(written([](Writer& w) { w.map(0); }), "80");
  EXPECT_EQ(written([](Writer& w) { w.map(15); }), "8f");
  EXPECT_EQ(written([](Writer& w) { w.map(16); }), "de0010");
  EXPECT_EQ(written([](Writer& w) { w.map(65535); }), "deffff");
  EXPECT_EQ(written([](Writer& w) { w.map(65536); }), "df00010000");
}

TEST(Msgpack, NilAndBooleans) {
  EXPECT_EQ(written([](Writer& w) { w.nil(), w.boolean(false), w.boolean(true); }), "c0c2c3");
  const auto bytes = unhex("c0c2c3");
  Reader reader(bytes);
  EXPECT_EQ(reader.peek().value(), Type::Nil);
  EXPECT_TRUE(reader.nil().has_value());
  EXPECT_EQ(reader.peek().value(), Type::Boolean);
  EXPECT_FALSE(reader.try_nil());
  EXPECT_FALSE(reader.boolean().value());
  EXPECT_TRUE(reader.boolean().value());
  EXPECT_FALSE(reader.try_nil());
  EXPECT_FALSE(reader.nil().has_value());
}

TEST(Msgpack, TimestampsTakeTheShortestFormAndComeBack) {
  struct Edge {
    std::int64_t nanoseconds;
    const char* hex;
  };
  constexpr std::int64_t kS = 1'000'000'000;
  for (const Edge& edge : {Edge{0, "d6ff00000000"}, Edge{kS, "d6ff00000001"}, Edge{4294967295 * kS, "d6ffffffffff"},
                           Edge{1, "d7ff0000000400000000"}, Edge{4294967296 * kS, "d7ff0000000100000000"},
                           Edge{kS - 1, "d7ffee6b27fc00000000"},
                           Edge{std::numeric_limits<std::int64_t>::max(), "d7ffcbcb5ffe25c17d04"},  // year 2262
                           Edge{-1, "c70cff3b9ac9ffffffffffffffffff"}, Edge{-kS, "c70cff00000000ffffffffffffffff"},
                           Edge{-kS - 1, "c70cff3b9ac9fffffffffffffffffe"},
                           Edge{std::numeric_limits<std::int64_t>::min(), "c70cff08a7f200fffffffdda3e82fb"}}) {
    const std::string hex = written([&](Writer& w) { w.timestamp(edge.nanoseconds); });
    EXPECT_EQ(hex, edge.hex);
    const auto bytes = unhex(hex);
    Reader reader(bytes);
    EXPECT_EQ(reader.peek().value(), Type::Timestamp);
    EXPECT_EQ(reader.timestamp().value(), edge.nanoseconds) << hex;
    EXPECT_TRUE(reader.at_end());
  }
}

TEST(Msgpack, TimestampsOutOfRangeAreClamped) {
  EXPECT_EQ(Reader(unhex("c70cff000000007fffffffffffffff")).timestamp().value(),
            std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(Reader(unhex("c70cff3b9ac9ff8000000000000000")).timestamp().value(),
            std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(Reader(unhex("d7ff00000003ffffffff")).timestamp().value(), std::numeric_limits<std::int64_t>::max());
}

TEST(Msgpack, BadTimestampsAreRefused) {
  EXPECT_FALSE(Reader(unhex("d7ffee6b280000000000")).timestamp().has_value());            // 10^9 nanoseconds
  EXPECT_FALSE(Reader(unhex("c70cff3b9aca000000000000000000")).timestamp().has_value());  // the same in 96 bits
  EXPECT_FALSE(Reader(unhex("d60100000000")).timestamp().has_value());                    // another type
  EXPECT_FALSE(Reader(unhex("d4ff00")).timestamp().has_value());                          // another size
  EXPECT_FALSE(Reader(unhex("01")).timestamp().has_value());
  EXPECT_FALSE(Reader(unhex("d6ff000000")).timestamp().has_value());
  const auto longer_form = unhex("c704ff00000001");
  EXPECT_EQ(Reader(longer_form).timestamp().value(), 1'000'000'000);
}

TEST(Msgpack, PeekNamesExtensionsAndFloats) {
  for (const char* hex : {"d40100", "d5010000", "d60100000000",
                          "d8050000000000000000"
                          "0000000000000000",
                          "c70001", "c8000101aa", "c90000000101aa"}) {
    const auto bytes = unhex(hex);
    Reader reader(bytes);
    EXPECT_EQ(reader.peek().value(), Type::Extension) << hex;
    EXPECT_TRUE(reader.skip().has_value()) << hex;
    EXPECT_TRUE(reader.at_end()) << hex;
  }
  for (const char* hex : {"ca3f800000", "cb3ff0000000000000"}) {
    const auto bytes = unhex(hex);
    Reader reader(bytes);
    EXPECT_EQ(reader.peek().value(), Type::Float);
    EXPECT_TRUE(reader.skip().has_value());
    EXPECT_TRUE(reader.at_end());
  }
  EXPECT_FALSE(Reader(unhex("c1")).peek().has_value());
  EXPECT_FALSE(Reader(Bytes()).peek().has_value());
}

TEST(Msgpack, LengthsThatLieAreRefused) {
  for (const char* hex : {"a2"
                          "61",
                          "d902"
                          "61",
                          "da0002"
                          "61",
                          "dbffffffff"
                          "61",
                          "c402"
                          "61",
                          "c50002"
                          "61",
                          "c6ffffffff"
                          "61",
                          "92"
                          "01",
                          "dc0002"
                          "01",
                          "ddffffffff"
                          "01",
                          "81"
                          "01",
                          "82"
                          "010203",
                          "de0002"
                          "010203",
                          "dfffffffff"
                          "0102",
                          "c7ff01", "c8ffff01", "c9ffffffff01"}) {
    const auto bytes = unhex(hex);
    EXPECT_FALSE(Reader(bytes).str().has_value()) << hex;
    EXPECT_FALSE(Reader(bytes).bin().has_value()) << hex;
    EXPECT_FALSE(Reader(bytes).array().has_value()) << hex;
    EXPECT_FALSE(Reader(bytes).map().has_value()) << hex;
    EXPECT_FALSE(Reader(bytes).skip().has_value()) << hex;
  }
}

TEST(Msgpack, NestingIsBounded) {
  const std::string deep(Reader::kMaxDepth, '\x91');
  EXPECT_TRUE(Reader(bytes_of(deep + '\x01')).skip().has_value());
  EXPECT_FALSE(Reader(bytes_of('\x91' + deep + '\x01')).skip().has_value());
  const std::string bomb(1'000'000, '\x91');
  EXPECT_FALSE(Reader(bytes_of(bomb)).skip().has_value());
  std::string maps;
  for (int i = 0; i < 65; ++i) maps += "\x81\xa1k";
  EXPECT_FALSE(Reader(bytes_of(maps + '\x01')).raw().has_value());
}

// Reads a value of every kind in turn, so that a cut at any byte meets every reader.
Status read_sample(Reader& reader) {
  CAIRN_TRY(const std::size_t pairs, reader.map());
  for (std::size_t i = 0; i < pairs; ++i) {
    CAIRN_TRY([[maybe_unused]] const auto key, reader.str());
    CAIRN_TRY(const Type type, reader.peek());
    switch (type) {
      case Type::Nil:
        CAIRN_CHECKED(reader.nil());
        break;
      case Type::Boolean: {
        CAIRN_TRY([[maybe_unused]] const auto value, reader.boolean());
        break;
      }
      case Type::Integer: {
        CAIRN_TRY([[maybe_unused]] const auto value, reader.integer());
        break;
      }
      case Type::Str:
      case Type::Bin: {
        CAIRN_TRY([[maybe_unused]] const auto value, reader.text_or_bin());
        break;
      }
      case Type::Timestamp: {
        CAIRN_TRY([[maybe_unused]] const auto value, reader.timestamp());
        break;
      }
      case Type::Array: {
        CAIRN_TRY(const std::size_t count, reader.array());
        for (std::size_t k = 0; k < count; ++k) CAIRN_CHECKED(reader.skip());
        break;
      }
      default:
        CAIRN_CHECKED(reader.skip());
    }
  }
  return {};
}

Buffer sample() {
  Buffer out;
  Writer w(out);
  w.map(20);
  int key = 0;
  const auto next = [&] { w.str("key " + std::to_string(key++)); };
  for (const std::int64_t value :
       {5LL, 200LL, 3000LL, 70000LL, 5'000'000'000LL, -3LL, -100LL, -3000LL, -70000LL, -5'000'000'000LL}) {
    next(), w.integer(value);
  }
  next(), w.str(std::string(300, 'x'));
  next(), w.bin(bytes_of(std::string(20, '\0')));
  next(), w.timestamp(1'000'000'000);
  next(), w.timestamp(1'700'000'000'123'456'789);
  next(), w.timestamp(-1);
  next(), w.nil();
  next(), w.boolean(true);
  next(), w.array(2), w.array(1), w.str("in"), w.map(1), w.str("a"), w.integer(1);
  next(), w.raw(bytes_of("\xcb\x3f\xf0\x01\x01\x01\x01\x01\x01"));
  next(), w.map(0);
  return out;
}

TEST(Msgpack, EveryTruncationIsAnError) {
  const Buffer whole = sample();
  Reader reader(whole);
  ASSERT_TRUE(read_sample(reader).has_value());
  EXPECT_TRUE(reader.at_end());
  EXPECT_EQ(Reader(whole).raw().value().size(), whole.size());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    // A copy of its own, so that a sanitizer sees a read past the end.
    const std::vector<std::byte> cut(whole.data(), whole.data() + size);
    Reader cut_reader(cut);
    const Status status = read_sample(cut_reader);
    ASSERT_FALSE(status.has_value()) << size;
    EXPECT_EQ(status.error().code(), Code::Integrity);
    EXPECT_FALSE(Reader(cut).skip().has_value()) << size;
  }
}

TEST(Msgpack, DamagedInputNeverReadsPastTheEnd) {
  const Buffer whole = sample();
  std::mt19937_64 random(1);
  std::size_t refused = 0;
  for (int round = 0; round < 20000; ++round) {
    std::vector<std::byte> damaged(whole.data(), whole.data() + whole.size());
    for (int i = 0; i < 3; ++i) damaged[random() % damaged.size()] = static_cast<std::byte>(random());
    Reader reader(damaged);
    if (!read_sample(reader)) ++refused;
    ASSERT_LE(reader.position(), damaged.size());
    Reader skipper(damaged);
    if (!skipper.skip()) ++refused;
    ASSERT_LE(skipper.position(), damaged.size());
  }
  EXPECT_GT(refused, 0U);
}

TEST(Msgpack, RawIsTheEncodedValueAlone) {
  const auto bytes = unhex("9301a161c001");
  Reader reader(bytes);
  EXPECT_EQ(to_hex(reader.raw().value()), "9301a161c0");
  EXPECT_EQ(reader.position(), 5U);
  EXPECT_EQ(written([&](Writer& w) { w.raw(bytes); }), "9301a161c001");
}

TEST(Msgpack, ErrorsNameTheOffset) {
  const auto bytes = unhex("01a161");
  Reader reader(bytes);
  ASSERT_TRUE(reader.uinteger().has_value());
  const auto result = reader.uinteger();
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().message(), "msgpack: expected an integer at offset 1, got byte 0xa1");
}

}  // namespace
}  // namespace cairn::msgpack
