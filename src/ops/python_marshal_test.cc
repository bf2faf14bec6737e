#include "ops/python_marshal.h"

#include <gtest/gtest.h>

namespace cairn::ops {
namespace {

using namespace std::string_literals;

std::string converted(std::string_view msgpack) {
  const auto result = marshal_of_msgpack(bytes_of(msgpack));
  return result ? *result : "error: " + result.error().message();
}

// The expected bytes are what Python 3's marshal.dumps(value, 2) gives, or reads as the same value.
TEST(PythonMarshal, EveryKindOfValue) {
  EXPECT_EQ(converted("\xc0"s), "N");
  EXPECT_EQ(converted("\xc2"s), "F");
  EXPECT_EQ(converted("\xc3"s), "T");
  EXPECT_EQ(converted("\x05"s), "i\5\0\0\0"s);
  EXPECT_EQ(converted("\xff"s), "i\xff\xff\xff\xff"s);
  EXPECT_EQ(converted("\xcf\0\0\0\1\0\0\0\0"s), "l\3\0\0\0\0\0\0\0\4\0"s);
  EXPECT_EQ(converted("\xd3\xff\xff\xff\xff\0\0\0\0"s), "l\xfd\xff\xff\xff\0\0\0\0\4\0"s);
  EXPECT_EQ(converted("\xcb\x3f\xf0\0\0\0\0\0\0"s), "g\0\0\0\0\0\0\xf0\x3f"s);
  EXPECT_EQ(converted("\xca\x3f\x80\0\0"s), "g\0\0\0\0\0\0\xf0\x3f"s);
  EXPECT_EQ(converted("\xa1~"s), "u\1\0\0\0~"s);
  EXPECT_EQ(converted("\xc4\1~"s), "s\1\0\0\0~"s);
  EXPECT_EQ(converted("\x81\x92\1\2\xa0"s), "{(\2\0\0\0i\1\0\0\0i\2\0\0\0u\0\0\0\0000"s);
}

TEST(PythonMarshal, DamageIsAnError) {
  EXPECT_EQ(converted("garbage"), "error: unpack(b) received extra data.");
  EXPECT_TRUE(converted("").starts_with("error: "));
  EXPECT_TRUE(converted("\x92\1"s).starts_with("error: "));
  EXPECT_TRUE(converted("\xd4\5\1"s).starts_with("error: "));
  EXPECT_TRUE(converted(std::string(1000, '\x91') + "\1").starts_with("error: "));
}

}  // namespace
}  // namespace cairn::ops
