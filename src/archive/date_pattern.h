// The "date:" pattern of archive selection: an instant, or an interval as long as the text is precise.
//
// Errors    Command: the bare reason, to be put behind "Invalid date pattern: ...".
// Threads   parse() may change TZ for a moment to ask for a named zone: call it before other threads start.
// Source    docs/format (archive, section 7).
#pragma once

#include <string_view>

#include "base/clock.h"
#include "base/error.h"

namespace cairn::archive {

struct DatePattern {
  Nanoseconds from = 0;
  Nanoseconds to = 0;  // exclusive; equal to `from` if only that instant matches

  bool matches(Nanoseconds time) const { return from == to ? time == from : time >= from && time < to; }
};

Result<DatePattern> parse_date_pattern(std::string_view text);

}  // namespace cairn::archive
