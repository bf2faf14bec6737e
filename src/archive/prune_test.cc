#include "archive/prune.h"

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace cairn::archive {
namespace {

// The generator that the recording script used too, so that only seeds and results are stored.
class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : state_(seed) {}
  std::int64_t below(std::int64_t n) {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return static_cast<std::int64_t>(state_ >> 33) % n;
  }

 private:
  std::uint64_t state_;
};

// Each case: a seed, and per archive the rule's index, its number from 0 and "o" for the oldest, or "-", as Borg's own
// function (borg.archiver.prune_cmd.prune, called for each rule) answered.
TEST(Prune, KeepsWhatBorgKeeps) {
  const auto all = nlohmann::json::parse(std::ifstream(CAIRN_TEST_DATA "/vectors/prune.json"));
  ::setenv("TZ", all["zone"].get<std::string>().c_str(), 1);
  ::tzset();
  const std::int64_t base = all["base"];
  ASSERT_EQ(all["cases"].size(), 3000U);
  for (const auto& entry : all["cases"]) {
    Numbers numbers(entry[0].get<std::uint64_t>());
    const std::int64_t count = numbers.below(16);
    constexpr std::int64_t kSpans[] = {3600, 86400 * 3, 86400 * 60, 86400 * 800, 86400LL * 4000};
    const std::int64_t span = kSpans[numbers.below(5)];
    std::vector<Nanoseconds> times;
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t ago = numbers.below(span);
      times.push_back((base - ago) * kSecond + numbers.below(3) * 333'333'000);
    }
    std::sort(times.rbegin(), times.rend());
    PruneRules rules;
    const std::int64_t rule_count = 1 + numbers.below(3);
    for (std::int64_t i = 0; i < rule_count; ++i) {
      const auto which = static_cast<std::size_t>(numbers.below(10));
      const std::int64_t kind = numbers.below(4);
      if (kind == 0) {
        constexpr std::int64_t kUnits[] = {60, 3600, 86400, 86400 * 30, 86400 * 365};
        const std::int64_t amount = numbers.below(4);
        rules[which] = PruneLimit{.is_interval = true, .interval_s = amount * kUnits[numbers.below(5)]};
      } else if (kind == 1 && numbers.below(4) == 0) {
        rules[which] = PruneLimit{.count = PruneLimit::kUnlimited};
      } else {
        rules[which] = PruneLimit{.count = numbers.below(5)};
      }
    }
    std::string outcome;
    for (const PruneDecision& decision : prune(times, rules, base * kSecond, false)) {
      outcome += decision.kept ? fmt::format("{}{}{},", static_cast<int>(decision.rule), decision.number - 1,
                                             decision.oldest ? "o" : "")
                               : "-,";
    }
    ASSERT_EQ(outcome, entry[1].get<std::string>()) << "seed " << entry[0];
  }
}

TEST(Prune, ArchivesFromTheGivenTimeOnAreSkipped) {
  ::setenv("TZ", "UTC", 1);
  ::tzset();
  const std::vector<Nanoseconds> times = {50 * kSecond, 40 * kSecond, 30 * kSecond, 20 * kSecond};
  PruneRules rules;
  rules[static_cast<std::size_t>(PruneRule::Keep)] = PruneLimit{.count = 1};
  const auto decisions = prune(times, rules, 40 * kSecond, true);
  EXPECT_EQ(decisions[0].rule, PruneRule::Skip);
  EXPECT_EQ(decisions[1].rule, PruneRule::Skip);
  EXPECT_EQ(decisions[1].number, 2U);
  EXPECT_TRUE(decisions[2].kept);
  EXPECT_EQ(decisions[2].rule, PruneRule::Keep);
  EXPECT_FALSE(decisions[3].kept);
}

TEST(PruneLimit, IsReadAsBorgReadsIt) {
  const auto shown = [](std::string_view text) {
    const auto limit = parse_prune_limit(text);
    return limit ? limit->text() : limit.error().message();
  };
  EXPECT_EQ(shown("all"), "-1");
  EXPECT_EQ(shown("7"), "7");
  EXPECT_EQ(shown("-5"), "-5");
  EXPECT_EQ(shown("7d"), "7 days, 0:00:00");
  EXPECT_EQ(shown("1d"), "1 day, 0:00:00");
  EXPECT_EQ(shown("0d"), "0:00:00");
  EXPECT_EQ(shown("1y"), "365 days, 0:00:00");
  EXPECT_EQ(shown("2m"), "62 days, 0:00:00");
  EXPECT_EQ(shown("3661S"), "1:01:01");
  const std::string intro = "Value is neither an integer nor an interval: ";
  EXPECT_EQ(shown("1x"), intro + "Unexpected time unit \"x\": choose from y, m, w, d, H, M, S");
  EXPECT_EQ(shown("d"), intro + "Invalid number \"\": expected nonnegative integer");
  EXPECT_EQ(shown("1.5d"), intro + "Invalid number \"1.5\": expected nonnegative integer");
  EXPECT_EQ(shown("-1d"), intro + "Invalid number \"-1\": expected nonnegative integer");
  EXPECT_FALSE(parse_prune_limit(""));
}

TEST(PruneRules, ThatMakeNoSenseAreRefused) {
  const auto checked = [](std::initializer_list<std::pair<PruneRule, std::string_view>> given) {
    PruneRules rules;
    for (const auto& [rule, text] : given) rules[static_cast<std::size_t>(rule)] = *parse_prune_limit(text);
    const Status status = check_prune_rules(rules);
    return status ? std::string("fine") : status.error().message();
  };
  using enum PruneRule;
  EXPECT_EQ(
      checked({}),
      "At least one of the \"keep\", \"keep-secondly\", \"keep-minutely\", \"keep-hourly\", \"keep-daily\", "
      "\"keep-weekly\", \"keep-monthly\", \"keep-13weekly\", \"keep-3monthly\", or \"keep-yearly\" settings must be "
      "specified.");
  EXPECT_EQ(checked({{Keep, "0"}, {Daily, "0d"}}).substr(0, 20), "None of the \"keep\", ");
  EXPECT_EQ(
      checked({{Daily, "-1"}, {Weekly, "3"}}),
      "The combination of \"daily='-1'\" and \"weekly='3'\" is invalid. It is effectively useless since every archive "
      "matched by weekly would have already been matched by daily.");
  EXPECT_EQ(checked({{Daily, "7d"}, {Weekly, "1w"}}).substr(0, 52),
            "The combination of \"daily='7 days, 0:00:00'\" and \"we");
  EXPECT_EQ(checked({{Daily, "7d"}, {Weekly, "2w"}}), "fine");
  EXPECT_EQ(checked({{Daily, "7d"}, {Weekly, "-1"}}), "fine");
  EXPECT_EQ(checked({{Daily, "3"}, {Weekly, "-1"}}), "fine");
  EXPECT_NE(checked({{Daily, "-1"}, {Weekly, "-1"}}), "fine");
  EXPECT_NE(checked({{Keep, "0d"}, {Daily, "0d"}, {Weekly, "3"}}), "fine");
  EXPECT_EQ(checked({{Daily, "7d"}, {Weekly, "3"}}), "fine");
  EXPECT_NE(checked({{Daily, "-1"}, {Weekly, "2w"}}), "fine");
}

TEST(Groups, AreMadeOfTheKeysInOrderOfAppearance) {
  std::vector<ArchiveSummary> archives(3);
  archives[0].name = "a";
  archives[1].name = "it's";
  archives[2].name = "a";
  for (ArchiveSummary& archive : archives) archive.tags = {"@PROT", "x", "y"};
  const auto keys = parse_group_by("name,tags");
  ASSERT_TRUE(keys.has_value());
  const auto groups = group_archives(archives, *keys);
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0].members, (std::vector<std::size_t>{0, 2}));
  EXPECT_EQ(group_text(groups[1], *keys), "(name=\"it's\", tags='x,y')");
  EXPECT_EQ(group_archives(archives, *parse_group_by("none")).size(), 1U);
  EXPECT_EQ(group_archives(archives, *parse_group_by("")).size(), 1U);
  EXPECT_EQ(parse_group_by("foo").error().message(), "Invalid group-by key: foo (valid keys: name, host, user, tags)");
  EXPECT_EQ(parse_group_by("host,").error().message(), "Invalid group-by key:  (valid keys: name, host, user, tags)");
  EXPECT_EQ(parse_group_by("host,name,host").error().message(), "Duplicate group-by key: host");
}

}  // namespace
}  // namespace cairn::archive
