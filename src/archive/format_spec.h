// How one value is laid out: the part of a format field behind its colon, in Python's format mini-language.
//
// Widths and precisions count code points. Source: docs/format (cli, section 8.3) and the Python language reference.
// Errors    Command, the message says what is wrong with the specification.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"

namespace cairn::archive {

struct FormatSpec {
  char32_t fill = U' ';
  char align = '\0';  // < > ^ =, or none given
  char sign = '\0';   // + - blank, or none given
  bool alternate = false;
  bool zero = false;
  std::size_t width = 0;
  char grouping = '\0';  // , or _
  std::optional<std::size_t> precision{};
  char type = '\0';
};

Result<FormatSpec> parse_format_spec(std::string_view text);

// Append to `out`. Texts take the type s, numbers the integer and the floating-point types.
Status format_text(const FormatSpec& spec, std::string_view value, std::string& out);
Status format_integer(const FormatSpec& spec, std::int64_t value, std::string& out);

}  // namespace cairn::archive
