// Sizes as text: 12.58 MB, 3.00 MiB, 401 B.
// Source: docs/format (cli, section 8.1).
#pragma once

#include <cstdint>
#include <string>

namespace cairn::cli {

enum class Units { Si, Iec, Raw };

// From BORG_UNITS; a value that is none of si, iec and raw gives Si and a warning.
Units units_from_environment();

std::string size_text(std::int64_t size, Units units, int decimals = 2, bool with_sign = false);
// For progress: large units get more decimals, so that the number moves.
std::string fine_size_text(std::int64_t size, Units units);

}  // namespace cairn::cli
