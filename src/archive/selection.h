// Which archives a command works on: -a patterns and NAME, the time filters, sorting, --first and --last.
//
// Threads   as local_time.h for "date:" patterns with a named zone; otherwise pure.
// Errors    Usage for options, Command for patterns and for lookups that do not find what they need.
// Source    docs/format (archive, section 7; cli, section 2.1).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "archive/summary.h"
#include "base/clock.h"
#include "base/error.h"

namespace cairn::archive {

enum class SortKey { Timestamp, Name, Id, Tags, Host, User };
// "timestamp,name"; "Invalid sort key: foo" otherwise.
Result<std::vector<SortKey>> parse_sort_by(std::string_view text);

struct Selection {
  std::vector<std::string> patterns{};            // ANDed, in order; placeholders are replaced already
  std::optional<std::string> older{}, newer{};    // spans relative to now
  std::optional<std::string> oldest{}, newest{};  // spans relative to the oldest or newest archive left
  std::vector<SortKey> sort_by = {SortKey::Timestamp};
  std::optional<std::size_t> first{}, last{};
  Nanoseconds now = 0;

  // Whether anything narrows the choice; some commands refuse to work on everything.
  bool has_filter() const { return !patterns.empty() || older || newer || oldest || newest || first || last; }
};

Result<std::vector<ArchiveSummary>> select(std::vector<ArchiveSummary> archives, const Selection& selection);
// The one archive that all `patterns` match, else "['arch1'] needed to match precisely one archive, but matched 0.".
Result<ArchiveSummary> select_one(std::vector<ArchiveSummary> archives, const std::vector<std::string>& patterns);

}  // namespace cairn::archive
