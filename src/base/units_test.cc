#include "base/units.h"

#include <cstdlib>
#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/log.h"

namespace cairn {
namespace {

// Recorded from borg.helpers.parseformat: format_file_size and parse_file_size.
nlohmann::json vectors() { return nlohmann::json::parse(std::ifstream(CAIRN_TEST_DATA "/vectors/units.json")); }

TEST(FormatSize, AnswersAsBorgDoes) {
  const nlohmann::json all = vectors();
  ASSERT_GT(all["format"].size(), 400U);
  for (const auto& entry : all["format"]) {
    const std::string name = entry[0];
    const Units units = name == "si" ? Units::Si : name == "iec" ? Units::Iec : Units::Raw;
    const std::int64_t bytes = entry[1];
    EXPECT_EQ(format_size(bytes, {.units = units}), entry[2].get<std::string>()) << name << bytes;
    EXPECT_EQ(format_size(bytes, {.precision = 0, .units = units}), entry[3].get<std::string>()) << name << bytes;
    EXPECT_EQ(format_size(bytes, {.precision = 1, .sign = true, .units = units}), entry[4].get<std::string>()) << bytes;
    EXPECT_EQ(format_size(bytes, {.fine = true, .units = units}), entry[5].get<std::string>()) << name << bytes;
  }
}

TEST(ParseSize, AnswersAsBorgDoes) {
  const nlohmann::json all = vectors();
  for (const auto& entry : all["parse"]) {
    const std::string text = entry[0];
    const auto size = parse_size(text);
    ASSERT_EQ(size.has_value(), !entry[1].is_null()) << text;
    EXPECT_EQ(size.value_or(0), entry[1].is_null() ? 0 : entry[1].get<std::uint64_t>()) << text;
  }
  EXPECT_EQ(parse_size("foo").error().message(), "invalid parse_file_size value: 'foo'");
}

TEST(ParseSize, NegativeAndHugeOnesAreRefused) {
  EXPECT_FALSE(parse_size("-1"));
  EXPECT_FALSE(parse_size("99999999999P"));
  EXPECT_FALSE(parse_size("inf"));
}

TEST(Units, ComeFromTheEnvironmentAndAWrongOneIsReportedOnce) {
  int warnings = 0;
  set_log_sink([&](const LogRecord&) { ++warnings; });
  ::setenv("BORG_UNITS", "iec", 1);
  EXPECT_EQ(units_from_environment(), Units::Iec);
  ::setenv("BORG_UNITS", "raw", 1);
  EXPECT_EQ(units_from_environment(), Units::Raw);
  ::setenv("BORG_UNITS", "foo", 1);
  EXPECT_EQ(units_from_environment(), Units::Si);
  EXPECT_EQ(units_from_environment(), Units::Si);
  ::unsetenv("BORG_UNITS");
  EXPECT_EQ(units_from_environment(), Units::Si);
  set_log_sink(nullptr);
  EXPECT_EQ(warnings, 1);
}

}  // namespace
}  // namespace cairn
