#include "archive/format_spec.h"

#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace cairn::archive {
namespace {

// Recorded from Python's format(): specification, value, result (null where it raises an error).
TEST(FormatSpec, LaysOutAsPythonDoes) {
  const auto cases = nlohmann::json::parse(std::ifstream(CAIRN_TEST_DATA "/vectors/format_specs.json"));
  ASSERT_GT(cases.size(), 500U);
  for (const auto& entry : cases) {
    const std::string text = entry[0];
    std::string out;
    const auto spec = parse_format_spec(text);
    bool good = spec.has_value();
    if (good) {
      const Status status = entry[1].is_string() ? format_text(*spec, entry[1].get<std::string>(), out)
                                                 : format_integer(*spec, entry[1].get<std::int64_t>(), out);
      good = status.has_value();
    }
    ASSERT_EQ(good, !entry[2].is_null()) << text << " " << entry[1];
    EXPECT_EQ(good ? out : "", good ? entry[2].get<std::string>() : "") << text << " " << entry[1];
  }
}

TEST(FormatSpec, AMadWidthIsRefused) {
  EXPECT_FALSE(parse_format_spec("99999999999999999999"));
  EXPECT_FALSE(parse_format_spec(".99999999999999999999"));
}

}  // namespace
}  // namespace cairn::archive
