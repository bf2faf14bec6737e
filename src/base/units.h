// Byte counts for people, and their spelling in options.
// Source: docs/format (cli, sections 2.4 and 8.1).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"

namespace cairn {

enum class Units { Si, Iec, Raw };

// BORG_UNITS: si, iec or raw; anything else is reported once as a warning and means si.
Units units_from_environment();

struct SizeFormat {
  int precision = 2;
  bool sign = false;  // "+12 B" for positive numbers
  bool fine = false;  // more decimals for larger units, as progress needs them: a byte more is seen up to 9 decimals
  Units units = Units::Si;
};
// "12.58 MB", "401 B".
std::string format_size(std::int64_t bytes, const SizeFormat& format = {});

// "1.5G": a number of at least 0 and perhaps one of K M G T P, powers of 1000, in either case. Errors are Usage.
Result<std::uint64_t> parse_size(std::string_view text);

}  // namespace cairn
