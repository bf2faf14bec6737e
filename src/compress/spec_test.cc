// Specifications against the reference program's parser, and number texts.
#include "compress/spec.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "compress/int_text.h"

namespace cairn::compress {
namespace {

nlohmann::json spec_vectors() {
  std::ifstream file(CAIRN_TEST_DATA "/vectors/compression.json");
  return nlohmann::json::parse(file).at("spec");
}

TEST(Spec, AgreesWithBorgOnEveryVector) {
  std::size_t departures = 0;
  std::size_t seen = 0;
  for (const auto& v : spec_vectors()) {
    const std::string text = v.at("spec");
    SCOPED_TRACE(text);
    ++seen;
    const auto spec = parse_spec(text);
    if (text == "obfuscate,1,obfuscate,2,lz4" || text == "zlib_legacy") {
      ++departures;
      EXPECT_EQ(spec.error().code(), Code::Usage);
      continue;
    }
    if (v.contains("error")) {
      ASSERT_FALSE(spec.has_value());
      EXPECT_EQ(spec.error().code(), Code::Usage);
      const bool bad_number = v.at("error") == "ValueError";
      EXPECT_EQ(spec.error().message(),
                bad_number ? "invalid CompressionSpec value: '" + text + "'" : v.at("message").get<std::string>());
      continue;
    }
    ASSERT_TRUE(spec.has_value()) << spec.error().text();
    if (text == "auto,auto,lz4") {
      ++departures;
      EXPECT_EQ(spec->text(), "auto,lz4");
    } else {
      EXPECT_EQ(spec->text(), v.at("canonical").get<std::string>());
    }
    EXPECT_EQ(parse_spec(spec->text()).value(), *spec);
    EXPECT_EQ(static_cast<int>(spec->method), v.at("wanted").at(0).get<int>());
    EXPECT_EQ(spec->level_byte(), v.at("wanted").at(1).get<int>());
    EXPECT_EQ(spec->obfuscate.value_or(-1), v.at("wanted").at(2).get<int>());
  }
  EXPECT_EQ(departures, 3U);
  EXPECT_GT(seen, 50U);
}

TEST(Spec, RefusesNestedObfuscationHoweverDeep) {
  EXPECT_EQ(parse_spec("obfuscate,250,obfuscate,110,lz4").error().message(),
            "obfuscate must not contain another obfuscate");
  EXPECT_FALSE(parse_spec("obfuscate,1,auto,obfuscate,2").has_value());
}

TEST(Spec, ManyFieldsAreRefusedWithoutHarm) {
  std::string many = "auto";
  for (int i = 0; i < 100000; ++i) many += ",auto";
  EXPECT_EQ(parse_spec(many).error().message(), "bad arguments");
  EXPECT_EQ(parse_spec("zstd," + std::string(100000, '9')).error().message(), "level must be >= -128 and <= 22");
  EXPECT_EQ(parse_spec("zstd,-" + std::string(100000, '9')).error().message(), "level must be >= -128 and <= 22");
}

TEST(IntText, FollowsPython) {
  EXPECT_EQ(parse_int("5"), 5);
  EXPECT_EQ(parse_int(" \t-5\n"), -5);
  EXPECT_EQ(parse_int("+0012"), 12);
  EXPECT_EQ(parse_int("1_0"), 10);
  for (const char* bad :
       {"", " ", "+", "-", "_1", "1_", "1__0", "+ 1", "--1", "1 2", "0x1", "1.0", "1e3", "\xc2\xa0"}) {
    EXPECT_EQ(parse_int(bad), std::nullopt) << bad;
  }
}

}  // namespace
}  // namespace cairn::compress
