// Times of archives: ISO 8601 in and out, human text, time spans. Local time follows TZ.
// Source: docs/format (archive, sections 2.2 and 7; cli, section 8.2).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/error.h"

namespace cairn::archive {

// "2026-11-30T14:11:35.924699+00:00" (microseconds, UTC), as start and end are stored.
std::string iso_utc(Nanoseconds time);
// "2026-11-30T15:11:35.924699+01:00" in the local zone.
std::string iso_local(Nanoseconds time);
// "2026-11-30 15:11:35+01:00", with a fraction only if there is one.
std::string plain_local(Nanoseconds time);
// Nine digits, as diff uses: "2026-11-30T15:11:18.959469138+01:00".
std::string iso_local_ns(Nanoseconds time);
// "Mon, 2026-11-30 15:11:35 +0100", English, local zone.
std::string human(Nanoseconds time);
std::string human_ns(Nanoseconds time);  // "Mon, 2026-11-30 15:11:18.959469138 +0100"
std::string strftime_local(Nanoseconds time, const std::string& format);
std::string strftime_utc(Nanoseconds time, const std::string& format);
std::string duration_text(double seconds);  // "0.469 seconds", "2 minutes 3.000 seconds" ...

// An ISO timestamp as Python's fromisoformat reads it; without an offset it is UTC (`local` = false) or local time.
Result<Nanoseconds> parse_iso(std::string_view text, bool local);
// --timestamp: an existing path (its mtime) or an ISO text, local if it has no offset. `stored` is the text that the
// archive records (offset kept).
struct Timestamp {
  Nanoseconds time = 0;
  std::string stored;
};
Result<Timestamp> parse_timestamp_option(const std::string& text);

// "7d", "2w", "1m", "1y", "5H", "5M", "5S" relative to `from`, backwards or forwards; y and m are calendar offsets.
Result<Nanoseconds> subtract_span(Nanoseconds from, std::string_view span);
Result<Nanoseconds> add_span(Nanoseconds from, std::string_view span);

}  // namespace cairn::archive
