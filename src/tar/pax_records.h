// The records of pax headers, "27 mtime=1796069156.712374\n": lengths, keywords, times.
//
// Values may hold any bytes, line feeds and NULs too: the length says where a record ends.
// Errors    Integrity.
// Source    POSIX.1-2024 pax, "pax Extended Header".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "tar/member.h"

namespace cairn::tar {

void append_record(std::string_view keyword, std::string_view value, Buffer& out);
// Appends to `records`. An empty value takes back what an earlier header set; it is handed out as it is.
Status parse_records(Bytes bytes, std::vector<Record>& records);

// Seconds with all nanoseconds and without needless zeros: "1796049618.619469138", "2.0". Borg writes a floating-point
// number instead, which is up to some hundred nanoseconds off.
std::string time_text(Nanoseconds time);
// Exact to the nanosecond; further digits are dropped. What does not fit saturates.
Result<Nanoseconds> parse_time(std::string_view text);
// A decimal number of at least 0.
Result<std::uint64_t> parse_count(std::string_view text, std::string_view what);

}  // namespace cairn::tar
