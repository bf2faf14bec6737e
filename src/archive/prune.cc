#include "archive/prune.h"

#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

#include "archive/local_time.h"
#include "archive/python_text.h"
#include "archive/time.h"

namespace cairn::archive {
namespace {

constexpr std::string_view kNames[] = {
    "keep",    "secondly",           "minutely",           "hourly", "daily", "weekly",
    "monthly", "quarterly_13weekly", "quarterly_3monthly", "yearly", "skip"};
constexpr std::string_view kRuleOptions =
    "\"keep\", \"keep-secondly\", \"keep-minutely\", \"keep-hourly\", \"keep-daily\", \"keep-weekly\", "
    "\"keep-monthly\", \"keep-13weekly\", \"keep-3monthly\", or \"keep-yearly\" settings";

// The local period that an archive belongs to; equal texts mean the same period. Empty for --keep: every archive its
// own.
std::string period_of(PruneRule rule, Nanoseconds time) {
  const auto number = [&](const char* format) { return std::stoi(strftime_local(time, format)); };
  switch (rule) {
    case PruneRule::Secondly:
      return strftime_local(time, "%Y-%m-%d %H:%M:%S");
    case PruneRule::Minutely:
      return strftime_local(time, "%Y-%m-%d %H:%M");
    case PruneRule::Hourly:
      return strftime_local(time, "%Y-%m-%d %H");
    case PruneRule::Daily:
      return strftime_local(time, "%Y-%m-%d");
    case PruneRule::Weekly:
      return strftime_local(time, "%G-%V");
    case PruneRule::Monthly:
      return strftime_local(time, "%Y-%m");
    case PruneRule::Quarterly13Weekly:
      // Weeks 1 to 13, 14 to 26, 27 to 39 and the rest, also if there is a week 53.
      return strftime_local(time, "%G-") + std::to_string(std::min((number("%V") - 1) / 13, 3));
    case PruneRule::Quarterly3Monthly:
      return strftime_local(time, "%Y-") + std::to_string((number("%m") - 1) / 3);
    case PruneRule::Yearly:
      return strftime_local(time, "%Y");
    default:
      return {};
  }
}

bool unlimited(const PruneLimit& limit) { return !limit.is_interval && limit.count < 0; }

void apply(PruneRule rule, const PruneLimit& limit, bool last_rule, std::span<const Nanoseconds> times,
           Nanoseconds base, std::vector<PruneDecision>& decisions, std::size_t first) {
  if (limit.is_zero() || first >= times.size()) return;
  const SplitTime split_base = split(base);
  const Nanoseconds earliest =
      limit.is_interval ? join(split_base.seconds - limit.interval_s, split_base.nanoseconds) : INT64_MIN;
  std::size_t kept = 0;
  const auto full = [&] {
    return !limit.is_interval && limit.count >= 0 && kept >= static_cast<std::size_t>(limit.count);
  };
  const auto keep = [&](std::size_t index, bool oldest) {
    decisions[index] = {.kept = true, .rule = rule, .number = ++kept, .oldest = oldest};
  };
  std::optional<std::string> previous;
  for (std::size_t i = first; i < times.size() && !full() && times[i] >= earliest; ++i) {
    std::string period = period_of(rule, times[i]);
    if (rule != PruneRule::Keep && previous == period) continue;
    previous = std::move(period);
    if (!decisions[i].kept) keep(i, false);
  }
  const bool room = limit.is_interval ? times.back() >= earliest : !full();
  if (last_rule && room && !decisions.back().kept) keep(times.size() - 1, true);
}

}  // namespace

std::string_view name_of(PruneRule rule) { return kNames[static_cast<std::size_t>(rule)]; }

std::string PruneLimit::text() const {
  if (!is_interval) return fmt::format("{}", count);
  const std::int64_t days = interval_s / 86400;
  const std::string clock =
      fmt::format("{}:{:02}:{:02}", interval_s / 3600 % 24, interval_s / 60 % 60, interval_s % 60);
  if (days == 0) return clock;
  return fmt::format("{} day{}, {}", days, days == 1 ? "" : "s", clock);
}

Result<PruneLimit> parse_prune_limit(std::string_view text) {
  const auto bad = [](const std::string& reason) {
    return fail(Code::Usage, fmt::format("Value is neither an integer nor an interval: {}", reason));
  };
  if (text == "all") return PruneLimit{.count = PruneLimit::kUnlimited};
  static constexpr std::int64_t kMost = 1'000'000'000;
  const auto digits = [](std::string_view part) -> std::optional<std::int64_t> {
    if (part.empty()) return std::nullopt;
    std::int64_t value = 0;
    for (const char c : part) {
      if (c < '0' || c > '9') return std::nullopt;
      value = std::min(value * 10 + (c - '0'), kMost);
    }
    return value;
  };
  if (const auto count = digits(text)) return PruneLimit{.count = *count};
  if (text.starts_with('-')) {
    if (const auto count = digits(text.substr(1))) return PruneLimit{.count = -*count};
  }
  constexpr std::pair<char, std::int64_t> kUnits[] = {
      {'y', 365 * 86400}, {'m', 31 * 86400}, {'w', 7 * 86400}, {'d', 86400}, {'H', 3600}, {'M', 60}, {'S', 1}};
  for (const auto& [unit, seconds] : kUnits) {
    if (!text.ends_with(unit)) continue;
    const std::string_view number = text.substr(0, text.size() - 1);
    const auto count = digits(number);
    if (!count) return bad(fmt::format("Invalid number \"{}\": expected nonnegative integer", number));
    return PruneLimit{.is_interval = true, .interval_s = *count * seconds};
  }
  return bad(fmt::format("Unexpected time unit \"{}\": choose from y, m, w, d, H, M, S",
                         text.empty() ? text : text.substr(text.size() - 1)));
}

Status check_prune_rules(const PruneRules& rules) {
  bool any = false;
  bool any_positive = false;
  for (const auto& limit : rules) {
    any = any || limit;
    any_positive = any_positive || (limit && !limit->is_zero());
  }
  if (!any) return fail(Code::Command, fmt::format("At least one of the {} must be specified.", kRuleOptions));
  if (!any_positive) {
    return fail(Code::Command,
                fmt::format("None of the {} have a positive value. At least one must be non-zero.", kRuleOptions));
  }
  for (std::size_t finer = 0; finer < kPruneRuleCount; ++finer) {
    for (std::size_t coarser = finer + 1; coarser < kPruneRuleCount; ++coarser) {
      if (!rules[finer] || !rules[coarser]) continue;
      const PruneLimit& a = *rules[finer];
      const PruneLimit& b = *rules[coarser];
      const bool intervals = a.is_interval && b.is_interval && a.interval_s >= b.interval_s;
      if (!intervals && !unlimited(a)) continue;
      const std::string_view fine_name = kNames[finer];
      const std::string_view coarse_name = kNames[coarser];
      return fail(Code::Command,
                  fmt::format("The combination of \"{}='{}'\" and \"{}='{}'\" is invalid. It is effectively useless "
                              "since every archive matched by {} would have already been matched by {}.",
                              fine_name, a.text(), coarse_name, b.text(), coarse_name, fine_name));
    }
  }
  return {};
}

std::vector<PruneDecision> prune(std::span<const Nanoseconds> times, const PruneRules& rules, Nanoseconds base,
                                 bool from_given) {
  std::vector<PruneDecision> decisions(times.size());
  std::size_t first = 0;
  while (from_given && first < times.size() && times[first] >= base) {
    decisions[first] = {.kept = true, .rule = PruneRule::Skip, .number = first + 1};
    ++first;
  }
  std::size_t last = kPruneRuleCount;
  for (std::size_t i = 0; i < kPruneRuleCount; ++i) {
    if (rules[i]) last = i;
  }
  for (std::size_t i = 0; i < kPruneRuleCount; ++i) {
    if (rules[i]) apply(static_cast<PruneRule>(i), *rules[i], i == last, times, base, decisions, first);
  }
  return decisions;
}

std::string_view name_of(GroupKey key) {
  constexpr std::string_view kKeys[] = {"name", "host", "user", "tags"};
  return kKeys[static_cast<std::size_t>(key)];
}

Result<std::vector<GroupKey>> parse_group_keys(std::string_view text, std::span<const GroupKey> allowed) {
  std::vector<GroupKey> keys;
  if (text.empty() || text == "none") return keys;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find(',', start), text.size());
    const std::string_view name = text.substr(start, end - start);
    start = end + 1;
    const auto found = std::ranges::find(allowed, name, [](GroupKey key) { return name_of(key); });
    if (found == allowed.end()) {
      return fail(Code::Usage, fmt::format("Invalid group-by key: {} (valid keys: {})", name, names_of(allowed)));
    }
    if (std::ranges::find(keys, *found) != keys.end()) {
      return fail(Code::Usage, fmt::format("Duplicate group-by key: {}", name));
    }
    keys.push_back(*found);
  }
  return keys;
}

Result<std::vector<GroupKey>> parse_group_by(std::string_view text) {
  constexpr auto kAll = std::to_array({GroupKey::Name, GroupKey::Host, GroupKey::User, GroupKey::Tags});
  return parse_group_keys(text, kAll);
}

std::string names_of(std::span<const GroupKey> keys) {
  std::string names;
  for (const GroupKey key : keys) names += fmt::format("{}{}", names.empty() ? "" : ", ", name_of(key));
  return names;
}

std::vector<ArchiveGroup> group_archives(std::span<const ArchiveSummary> archives, std::span<const GroupKey> keys) {
  std::vector<ArchiveGroup> groups;
  std::map<std::vector<std::string>, std::size_t> known;
  for (std::size_t i = 0; i < archives.size(); ++i) {
    const ArchiveSummary& archive = archives[i];
    std::vector<std::string> values;
    for (const GroupKey key : keys) {
      switch (key) {
        case GroupKey::Name:
          values.push_back(archive.name);
          break;
        case GroupKey::Host:
          values.push_back(archive.hostname);
          break;
        case GroupKey::User:
          values.push_back(archive.username);
          break;
        case GroupKey::Tags: {
          std::string tags;
          for (const std::string& tag : archive.tags) {
            if (!tag.starts_with('@')) tags += (tags.empty() ? "" : ",") + tag;
          }
          values.push_back(std::move(tags));
          break;
        }
      }
    }
    const auto [place, is_new] = known.emplace(values, groups.size());
    if (is_new) groups.push_back({.values = std::move(values)});
    groups[place->second].members.push_back(i);
  }
  return groups;
}

std::string group_text(const ArchiveGroup& group, std::span<const GroupKey> keys) {
  std::string out = "(";
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (i > 0) out += ", ";
    out += fmt::format("{}={}", name_of(keys[i]), python_repr(std::string_view(group.values[i])));
  }
  return out + ")";
}

}  // namespace cairn::archive
