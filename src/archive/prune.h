// Which archives prune keeps: the rules of --keep and its kin over groups of archives. Pure; deletes nothing.
//
// Periods are those of the local zone. Errors: Usage for a value, Command for a set of rules that makes no sense.
// Source: docs/format (archive, section 11).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "archive/summary.h"
#include "base/clock.h"
#include "base/error.h"

namespace cairn::archive {

// In the order in which they are applied.
enum class PruneRule {
  Keep,
  Secondly,
  Minutely,
  Hourly,
  Daily,
  Weekly,
  Monthly,
  Quarterly13Weekly,
  Quarterly3Monthly,
  Yearly,
  Skip,  // no rule of its own: archives not older than --from
};
constexpr std::size_t kPruneRuleCount = 10;
std::string_view name_of(PruneRule rule);  // "keep", "daily", "quarterly_13weekly", "skip" ...

// How much a rule keeps: a number of archives, or those of an interval before the base time.
struct PruneLimit {
  static constexpr std::int64_t kUnlimited = -1;
  bool is_interval = false;
  std::int64_t count = 0;       // negative: unlimited
  std::int64_t interval_s = 0;  // seconds

  bool is_zero() const { return is_interval ? interval_s == 0 : count == 0; }
  std::string text() const;  // "7", or "7 days, 0:00:00"
};
// "all", "7", "7d" with the units y (365 d) m (31 d) w d H M S.
Result<PruneLimit> parse_prune_limit(std::string_view text);

using PruneRules = std::array<std::optional<PruneLimit>, kPruneRuleCount>;  // by PruneRule
Status check_prune_rules(const PruneRules& rules);

struct PruneDecision {
  bool kept = false;
  PruneRule rule = PruneRule::Skip;
  std::size_t number = 0;  // 1-based, per rule and group
  bool oldest = false;     // kept only because nothing older is there
};
// `times` of one group, newest first. `base` is --from or now; with `from_given`, archives not older than it are kept.
std::vector<PruneDecision> prune(std::span<const Nanoseconds> times, const PruneRules& rules, Nanoseconds base,
                                 bool from_given);

enum class GroupKey { Name, Host, User, Tags };
// "name,host", each at most once; "" and "none" are no keys: one group. Errors are Usage, in Borg's words.
Result<std::vector<GroupKey>> parse_group_keys(std::string_view text, std::span<const GroupKey> allowed);
Result<std::vector<GroupKey>> parse_group_by(std::string_view text);  // all of them are allowed
std::string_view name_of(GroupKey key);
std::string names_of(std::span<const GroupKey> keys);  // "name, host"

// Archives of one group, in the order given; group order is that of first appearance.
struct ArchiveGroup {
  std::vector<std::string> values{};   // one per key; special tags are left out
  std::vector<std::size_t> members{};  // indexes into the input
};
std::vector<ArchiveGroup> group_archives(std::span<const ArchiveSummary> archives, std::span<const GroupKey> keys);
// "(name='home', host='lab')"
std::string group_text(const ArchiveGroup& group, std::span<const GroupKey> keys);

}  // namespace cairn::archive
