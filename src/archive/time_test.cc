#include "archive/time.h"

#include <cstdlib>
#include <ctime>
#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "archive/local_time.h"

namespace cairn::archive {
namespace {

// Recorded from Borg's own functions (borg.helpers.time) under several zones.
const nlohmann::json& vectors() {
  static const nlohmann::json all = nlohmann::json::parse(std::ifstream(CAIRN_TEST_DATA "/vectors/archive_times.json"));
  return all;
}

void set_zone(const std::string& zone) {
  ::setenv("TZ", zone.c_str(), 1);
  ::tzset();
}

TEST(Time, TimestampOptionsAreReadAsBorgReadsThem) {
  for (const auto& [zone, cases] : vectors()["timestamp"].items()) {
    set_zone(zone);
    ASSERT_GT(cases.size(), 60U);
    for (const auto& entry : cases) {
      const std::string text = entry[0];
      const auto result = parse_timestamp_option(text);
      ASSERT_EQ(result.has_value(), !entry[1].is_null()) << text;
      if (!result) {
        EXPECT_EQ(result.error().code(), Code::Usage);
        EXPECT_EQ(result.error().message(), "invalid timestamp value: '" + text + "'");
        continue;
      }
      EXPECT_EQ(result->time / 1000, entry[1].get<std::int64_t>()) << zone << " " << text;
      EXPECT_EQ(result->stored, entry[2].get<std::string>()) << zone;
    }
  }
}

TEST(Time, AnExistingPathGivesItsTime) {
  const auto result = parse_timestamp_option(CAIRN_TEST_DATA "/vectors/archive_times.json");
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->stored, iso_utc(result->time));
  EXPECT_GT(result->time, 1'700'000'000 * kSecond);
}

TEST(Time, IsShownAsBorgShowsIt) {
  for (const auto& [zone, cases] : vectors()["shown"].items()) {
    set_zone(zone);
    for (const auto& entry : cases) {
      const Nanoseconds time = entry[0];
      EXPECT_EQ(iso_utc(time), entry[1].get<std::string>());
      EXPECT_EQ(iso_local(time), entry[2].get<std::string>());
      EXPECT_EQ(human(time), entry[5].get<std::string>());
      EXPECT_EQ(human_ns(time), entry[6].get<std::string>());
      EXPECT_EQ(strftime_local(time, "%Y-%m-%d_%H.%M.%S.%f %z %Z %j %G-W%V %a %A %b %B %p %y %% %e"),
                entry[7].get<std::string>());
      const auto back = parse_iso(iso_utc(time), true);
      ASSERT_TRUE(back.has_value());
      EXPECT_EQ(*back, time / 1000 * 1000);
      EXPECT_EQ(*parse_iso(iso_local(time), false), time / 1000 * 1000);
    }
  }
}

TEST(Time, NineDigitsAreKept) {
  set_zone("Europe/Berlin");
  EXPECT_EQ(iso_local_ns(1'796'049'078'959'469'138), "2026-11-30T15:31:18.959469138+01:00");
}

TEST(Time, PlainFormHasAFractionOnlyIfThereIsOne) {
  set_zone("Europe/Berlin");
  EXPECT_EQ(plain_local(1'746'345'600 * kSecond), "2025-05-04 10:00:00+02:00");
  EXPECT_EQ(plain_local(1'746'345'600 * kSecond + 1'500'000), "2025-05-04 10:00:00.001500+02:00");
}

TEST(Time, WithoutOffsetLocalOrUtcAsAsked) {
  set_zone("Europe/Berlin");
  EXPECT_EQ(*parse_iso("2020-01-02", false) - *parse_iso("2020-01-02", true), 3600 * kSecond);
}

TEST(Time, FormatsWithoutResultOrWithALongOneWork) {
  set_zone("UTC");
  EXPECT_EQ(strftime_local(0, ""), "");
  EXPECT_EQ(strftime_utc(0, std::string(5000, 'x')), std::string(5000, 'x'));
  EXPECT_EQ(strftime_utc(1'500'000'000, "%s.%f %:z"), "1.500000 +00:00");
  EXPECT_EQ(strftime_utc(0, "%"), "%");
}

TEST(Time, Durations) {
  for (const auto& entry : vectors()["durations"]) {
    EXPECT_EQ(duration_text(entry[0].get<double>()), entry[1].get<std::string>());
  }
}

TEST(Time, SpansFollowTheCalendar) {
  for (const auto& entry : vectors()["spans"]) {
    const Nanoseconds from = entry[0].get<std::int64_t>() * 1000;
    const std::string span = entry[1];
    EXPECT_EQ(subtract_span(from, span).value(), entry[2].get<std::int64_t>() * 1000) << span;
    EXPECT_EQ(add_span(from, span).value(), entry[3].get<std::int64_t>() * 1000) << span;
  }
}

TEST(Time, BadSpansAreUsageErrorsAndHugeOnesSaturate) {
  for (const char* span : {"", "d", "1x", "-1d", "1d2", "1.5d", " 1d"}) {
    const auto result = subtract_span(0, span);
    ASSERT_FALSE(result.has_value()) << span;
    EXPECT_EQ(result.error().code(), Code::Usage);
    EXPECT_EQ(result.error().message(),
              "Invalid relative time marker used: " + std::string(span) + ", choose from y, m, w, d, H, M, S");
  }
  EXPECT_EQ(subtract_span(0, "99999999999999999999y").value(), INT64_MIN);
  EXPECT_EQ(add_span(0, "99999999999999999999d").value(), INT64_MAX);
}

TEST(LocalTime, CivilDaysComeBackOverFourCenturies) {
  std::int64_t expected = civil_to_seconds({.year = 1899, .month = 12, .day = 31}) + 86400;
  EXPECT_EQ(expected, -2208988800);
  for (int year = 1900; year < 2300; ++year) {
    for (int month = 1; month <= 12; ++month) {
      for (int day = 1; day <= days_in_month(year, month); ++day, expected += 86400) {
        ASSERT_EQ(civil_to_seconds({.year = year, .month = month, .day = day}), expected);
        const CivilTime back = seconds_to_civil(expected + 86399);
        ASSERT_TRUE(back.year == year && back.month == month && back.day == day && back.hour == 23 &&
                    back.second == 59);
      }
    }
  }
}

TEST(LocalTime, AnUnknownZoneIsRefusedAndTheOldOneComesBack) {
  set_zone("Europe/Berlin");
  EXPECT_FALSE(in_zone("Foo/Bar", [] { ADD_FAILURE(); }));
  EXPECT_FALSE(in_zone("../etc/passwd", [] { ADD_FAILURE(); }));
  std::int64_t inside = 0;
  EXPECT_TRUE(in_zone("America/New_York", [&] { inside = local_offset(1'577'836'800); }));
  EXPECT_EQ(inside, -5 * 3600);
  EXPECT_EQ(local_offset(1'577'836'800), 3600);
}

}  // namespace
}  // namespace cairn::archive
