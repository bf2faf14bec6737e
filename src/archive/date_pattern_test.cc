#include "archive/date_pattern.h"

#include <cstdlib>
#include <ctime>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace cairn::archive {
namespace {

// Recorded from borg.helpers.time.compile_date_pattern: an instant, an interval, or an error, in microseconds.
TEST(DatePattern, MeansWhatBorgTakesItFor) {
  const auto all = nlohmann::json::parse(std::ifstream(CAIRN_TEST_DATA "/vectors/archive_times.json"));
  for (const auto& [zone, cases] : all["date_patterns"].items()) {
    ::setenv("TZ", zone.c_str(), 1);
    ::tzset();
    ASSERT_GT(cases.size(), 90U);
    for (const auto& entry : cases) {
      const std::string text = entry[0];
      const auto pattern = parse_date_pattern(text);
      if (entry[1].is_string()) {
        ASSERT_FALSE(pattern.has_value()) << text;
        EXPECT_EQ(pattern.error().message(), entry[1].get<std::string>());
        continue;
      }
      ASSERT_TRUE(pattern.has_value()) << text << ": " << pattern.error().message();
      EXPECT_EQ(pattern->from, entry[1][0].get<std::int64_t>() * 1000) << zone << " " << text;
      EXPECT_EQ(pattern->to, entry[1].back().get<std::int64_t>() * 1000) << zone << " " << text;
    }
  }
}

TEST(DatePattern, TheEndIsNotInTheInterval) {
  const DatePattern second{10, 20};
  EXPECT_TRUE(second.matches(10));
  EXPECT_TRUE(second.matches(19));
  EXPECT_FALSE(second.matches(20));
  const DatePattern instant{10, 10};
  EXPECT_TRUE(instant.matches(10));
  EXPECT_FALSE(instant.matches(11));
}

}  // namespace
}  // namespace cairn::archive
