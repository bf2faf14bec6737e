// BORG_BLAKE3_MT_THRESHOLD, read as Python's int() reads it. Source: docs/format (crypto, section 9).
#include <algorithm>
#include <limits>
#include <string>
#include <string_view>

#include "base/env.h"
#include "hash/blake3.h"

namespace cairn::hash {
namespace {

constexpr std::size_t kKib = 1024;
constexpr std::size_t kDefault = 256 * kKib;
constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max() / kKib;  // beyond it: never split

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpaces = " \t\n\v\f\r";
  const std::size_t first = text.find_first_not_of(kSpaces);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpaces) - first + 1);
}

// Digits with single underscores between them. False if it is anything else.
bool parse_digits(std::string_view text, std::string& digits) {
  bool digit_before = false;
  for (const char c : text) {
    if (c >= '0' && c <= '9') {
      digits.push_back(c);
      digit_before = true;
    } else if (c == '_' && digit_before) {
      digit_before = false;
    } else {
      return false;
    }
  }
  return digit_before;
}

}  // namespace

Result<std::size_t> blake3_split_threshold() {
  const std::optional<std::string> value = env("BORG_BLAKE3_MT_THRESHOLD");
  if (!value) return kDefault;
  std::string_view text = trimmed(*value);
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  std::string digits;
  if (!parse_digits(text, digits)) {
    return fail(Code::Error, "BORG_BLAKE3_MT_THRESHOLD must be an integer (KiB), but is: '" + *value + "'");
  }
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size() - 1));
  if (negative && digits != "0") {
    return fail(Code::Error, "BORG_BLAKE3_MT_THRESHOLD must not be negative, but is: -" + digits);
  }
  std::size_t kib = 0;
  for (const char c : digits) {
    kib = kib * 10 + static_cast<std::size_t>(c - '0');
    if (kib > kMost) return kMost * kKib;
  }
  return kib * kKib;
}

}  // namespace cairn::hash
