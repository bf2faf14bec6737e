#include "archive/selection.h"

#include <cstdlib>
#include <ctime>

#include <gtest/gtest.h>

namespace cairn::archive {
namespace {

constexpr Nanoseconds kDay = 86400 * kSecond;
constexpr Nanoseconds kStart = 1'700'000'000 * kSecond;  // 2023-11-14T22:13:20Z

ArchiveSummary archive(const std::string& name, int day, std::vector<std::string> tags = {}) {
  ArchiveSummary summary;
  summary.id.raw[0] = static_cast<std::byte>(day * 16 + 10);
  summary.name = name;
  summary.time = kStart + day * kDay;
  summary.tags = std::move(tags);
  summary.hostname = day % 2 == 0 ? "even" : "odd";
  summary.username = "tester";
  return summary;
}

std::vector<ArchiveSummary> all() {
  return {archive("home", 3), archive("home", 1, {"t1", "t2"}), archive("etc", 2, {"t2"}), archive("sh:x", 0)};
}

// Names with their days, or the error.
std::string chosen(const Selection& selection) {
  const auto result = select(all(), selection);
  if (!result) return result.error().message();
  std::string out;
  for (const ArchiveSummary& one : *result) {
    out += (out.empty() ? "" : " ") + one.name + std::to_string((one.time - kStart) / kDay);
  }
  return out;
}
std::string matched(std::vector<std::string> patterns) { return chosen({.patterns = std::move(patterns)}); }

TEST(Selection, WithoutFiltersEverythingByTime) { EXPECT_EQ(chosen({}), "sh:x0 home1 etc2 home3"); }

TEST(Selection, PatternsMatchAndAreAnded) {
  ::setenv("TZ", "UTC", 1);
  ::tzset();
  EXPECT_EQ(matched({"home"}), "home1 home3");
  EXPECT_EQ(matched({"name:home"}), "home1 home3");
  EXPECT_EQ(matched({"id:sh:x"}), "sh:x0");
  EXPECT_EQ(matched({"name:id:etc"}), "etc2");
  EXPECT_EQ(matched({"hom"}), "");
  EXPECT_EQ(matched({"sh:*e*"}), "home1 etc2 home3");
  EXPECT_EQ(matched({"sh:h"}), "");
  EXPECT_EQ(matched({"sh:{home,etc}"}), "home1 etc2 home3");
  EXPECT_EQ(matched({"re:h.*"}), "home1 home3");
  EXPECT_EQ(matched({"re:om"}), "");
  EXPECT_EQ(matched({"aid:1a"}), "home1");
  EXPECT_EQ(matched({"tags:t2"}), "home1 etc2");
  EXPECT_EQ(matched({"tags:t1,t2"}), "home1");
  EXPECT_EQ(matched({"host:odd"}), "home1 home3");
  EXPECT_EQ(matched({"user:nobody"}), "");
  EXPECT_EQ(matched({"date:2023-11-15"}), "home1");
  EXPECT_EQ(matched({"date:2023-11"}), "sh:x0 home1 etc2 home3");
  EXPECT_EQ(matched({"date:@1700000000"}), "sh:x0");
  EXPECT_EQ(matched({"home", "tags:t2"}), "home1");
}

TEST(Selection, BadPatternsAreCommandErrors) {
  EXPECT_EQ(matched({"aid:"}), "archive ID based match needs to match precisely one archive ID");
  EXPECT_EQ(matched({"aid:ff"}), "archive ID based match needs to match precisely one archive ID");
  EXPECT_EQ(matched({"date:foo"}), "Invalid date pattern: date:foo (unrecognised date: 'foo')");
  const auto regex = select(all(), {.patterns = {"re:["}});
  ASSERT_FALSE(regex.has_value());
  EXPECT_EQ(regex.error().code(), Code::Command);
}

TEST(Selection, TimesAreRelativeToNowOrToTheArchives) {
  const Nanoseconds now = kStart + 4 * kDay;
  EXPECT_EQ(chosen({.older = "2d", .now = now}), "sh:x0 home1 etc2");
  EXPECT_EQ(chosen({.newer = "2d", .now = now}), "etc2 home3");
  EXPECT_EQ(chosen({.oldest = "1d", .now = now}), "sh:x0 home1");
  EXPECT_EQ(chosen({.newest = "24H", .now = now}), "etc2 home3");
  EXPECT_EQ(chosen({.older = "1x", .now = now}),
            "Invalid relative time marker used: 1x, choose from y, m, w, d, H, M, S");
}

TEST(Selection, SortsByTheFirstKeyFirstAndCuts) {
  EXPECT_EQ(chosen({.sort_by = *parse_sort_by("name,timestamp")}), "etc2 home1 home3 sh:x0");
  EXPECT_EQ(chosen({.sort_by = *parse_sort_by("host")}), "etc2 sh:x0 home3 home1");
  EXPECT_EQ(chosen({.first = 2}), "sh:x0 home1");
  EXPECT_EQ(chosen({.last = 1}), "home3");
  EXPECT_EQ(chosen({.last = 9}), "sh:x0 home1 etc2 home3");
  EXPECT_EQ(parse_sort_by("foo").error().message(), "Invalid sort key: foo");
}

TEST(SelectOne, NeedsPreciselyOne) {
  EXPECT_EQ(select_one(all(), {"etc"})->name, "etc");
  EXPECT_EQ(select_one(all(), {"arch1"}).error().message(),
            "['arch1'] needed to match precisely one archive, but matched 0.");
  EXPECT_EQ(select_one(all(), {"home", "re:it's"}).error().message(),
            "['home', \"re:it's\"] needed to match precisely one archive, but matched 0.");
  EXPECT_EQ(select_one(all(), {"home"}).error().code(), Code::Command);
}

}  // namespace
}  // namespace cairn::archive
