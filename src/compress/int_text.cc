#include "compress/int_text.h"

#include <algorithm>

namespace cairn::compress {
namespace {

constexpr std::string_view kBlanks = " \t\n\r\v\f\x1c\x1d\x1e\x1f";
constexpr std::int64_t kMost = 1'000'000'000;

}  // namespace

std::optional<std::int64_t> parse_int(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return std::nullopt;
  text = text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
  const bool negative = text.front() == '-';
  if (negative || text.front() == '+') text.remove_prefix(1);
  std::int64_t value = 0;
  bool digit_before = false;
  for (const char c : text) {
    if (c == '_') {
      if (!digit_before) return std::nullopt;
      digit_before = false;
      continue;
    }
    if (c < '0' || c > '9') return std::nullopt;
    value = std::min(kMost, value * 10 + (c - '0'));
    digit_before = true;
  }
  if (!digit_before) return std::nullopt;
  return negative ? -value : value;
}

}  // namespace cairn::compress
