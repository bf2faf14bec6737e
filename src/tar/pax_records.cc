// See the header.
#include "tar/pax_records.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

namespace cairn::tar {
namespace {

constexpr std::size_t kLongestLength = 20;  // digits

std::size_t digits_of(std::size_t number) {
  std::size_t digits = 1;
  for (; number >= 10; number /= 10) ++digits;
  return digits;
}

}  // namespace

void append_record(std::string_view keyword, std::string_view value, Buffer& out) {
  const std::size_t rest = keyword.size() + value.size() + 3;  // blank, '=', line feed
  std::size_t length = rest + digits_of(rest);
  length = rest + digits_of(length);  // its own digits may make it longer by one digit
  out.append(bytes_of(fmt::format("{} ", length)));
  out.append(bytes_of(keyword));
  out.append(bytes_of("="));
  out.append(bytes_of(value));
  out.append(bytes_of("\n"));
}

Status parse_records(Bytes bytes, std::vector<Record>& records) {
  std::string_view rest = text_of(bytes);
  // Some programs fill the header up with NULs.
  while (!rest.empty() && rest.front() != '\0') {
    const auto blank = rest.substr(0, kLongestLength + 1).find(' ');
    std::size_t length = 0;
    if (blank == std::string_view::npos || blank == 0 ||
        std::from_chars(rest.data(), rest.data() + blank, length).ptr != rest.data() + blank) {
      return fail(Code::Integrity, "a record of an extended header has no length");
    }
    if (length > rest.size() || length < blank + 2 || rest[length - 1] != '\n') {
      return fail(Code::Integrity, "the length of a record of an extended header is wrong");
    }
    const std::string_view record = rest.substr(blank + 1, length - blank - 2);
    const auto equals = record.find('=');
    if (equals == std::string_view::npos || equals == 0) {
      return fail(Code::Integrity, "a record of an extended header has no keyword");
    }
    records.emplace_back(record.substr(0, equals), record.substr(equals + 1));
    rest.remove_prefix(length);
  }
  return {};
}

std::string time_text(Nanoseconds time) {
  const std::uint64_t size = time < 0 ? -static_cast<std::uint64_t>(time) : static_cast<std::uint64_t>(time);
  std::string text = fmt::format("{}{}.{:09}", time < 0 ? "-" : "", size / kSecond, size % kSecond);
  text.resize(std::max(text.find_last_not_of('0') + 1, text.find('.') + 2));
  return text;
}

Result<Nanoseconds> parse_time(std::string_view text) {
  auto bad = [&] { return fail(Code::Integrity, fmt::format("'{}' is no time", text)); };
  const bool negative = text.starts_with('-');
  std::string_view digits = text.substr(negative ? 1 : 0);
  // Borg writes times right behind 1970 with an exponent.
  if (digits.find_first_of("eE") != std::string_view::npos) {
    double seconds = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), seconds);
    if (error != std::errc{} || end != digits.data() + digits.size() || !(seconds < 9e9)) return bad();
    const auto time = static_cast<Nanoseconds>(seconds * 1e9 + 0.5);
    return negative ? -time : time;
  }
  const auto point = digits.find('.');
  const std::string_view whole = digits.substr(0, point);
  const std::string_view fraction = point == std::string_view::npos ? "" : digits.substr(point + 1);
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (whole.size() + fraction.size() == 0 || !std::ranges::all_of(whole, is_digit) ||
      !std::ranges::all_of(fraction, is_digit)) {
    return bad();
  }
  std::uint64_t seconds = 0;
  constexpr std::uint64_t kMost = INT64_MAX / kSecond - 1;
  for (const char digit : whole) seconds = std::min(kMost, seconds * 10 + static_cast<std::uint64_t>(digit - '0'));
  std::uint64_t nanoseconds = 0;
  for (std::size_t i = 0; i < 9; ++i) {
    nanoseconds = nanoseconds * 10 + static_cast<std::uint64_t>(i < fraction.size() ? fraction[i] - '0' : 0);
  }
  const auto time = static_cast<Nanoseconds>(seconds * kSecond + nanoseconds);
  return negative ? -time : time;
}

Result<std::uint64_t> parse_count(std::string_view text, std::string_view what) {
  std::uint64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) {
    return fail(Code::Integrity, fmt::format("the {} is no number", what));
  }
  return count;
}

}  // namespace cairn::tar
