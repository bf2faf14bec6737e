// Options that choose archives: -a, --sort-by, --first, --last, and the time limits.
// Source: docs/format (cli, section 2.1; archive, section 7).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/option_table.h"
#include "cli/option_values.h"

namespace cairn::cli {

struct ArchiveFilters {
  std::vector<std::string> match;                 // patterns as given, all of them must match
  std::vector<std::string> sort_by{"timestamp"};  // first key first
  int first = 0, last = 0;                        // 0: no limit
  std::optional<std::string> oldest, newest;      // time spans, "7d"
  std::optional<std::string> older, newer;
  bool any() const { return !match.empty() || first > 0 || last > 0 || oldest || newest || older || newer; }
};

inline constexpr Option kArchiveFilterOptions[] = {
    value("-a, --match-archives", "PATTERN", "only archives that match (repeatable; see \"help match-archives\")",
          set<&ArchiveFilters::match>)
        .repeatable(),
    value("--sort-by", "KEYS", "comma-separated: timestamp, archive, name, id, tags, host, user",
          set<&ArchiveFilters::sort_by, parse_archive_sort_keys>)
        .defaults("timestamp"),
    value("--first", "N", "only the first N archives", set<&ArchiveFilters::first, parse_positive_int>)
        .exclusive("first or last"),
    value("--last", "N", "only the last N archives", set<&ArchiveFilters::last, parse_positive_int>)
        .exclusive("first or last"),
    value("--oldest", "TIMESPAN", "archives within TIMESPAN after the oldest, e.g. 7d",
          set<&ArchiveFilters::oldest, parse_time_span>)
        .exclusive("relative to the archives"),
    value("--newest", "TIMESPAN", "archives within TIMESPAN before the newest",
          set<&ArchiveFilters::newest, parse_time_span>)
        .exclusive("relative to the archives"),
    value("--older", "TIMESPAN", "archives older than TIMESPAN", set<&ArchiveFilters::older, parse_time_span>)
        .exclusive("relative to now"),
    value("--newer", "TIMESPAN", "archives newer than TIMESPAN", set<&ArchiveFilters::newer, parse_time_span>)
        .exclusive("relative to now"),
};

}  // namespace cairn::cli
