#include "archive/time.h"

#include <sys/stat.h>

#include <cctype>
#include <cmath>
#include <ctime>

#include <fmt/format.h>

#include "archive/local_time.h"

namespace cairn::archive {
namespace {

std::string offset_text(std::int64_t offset, std::string_view colon) {
  const std::int64_t size = offset < 0 ? -offset : offset;
  std::string text = fmt::format("{}{:02}{}{:02}", offset < 0 ? '-' : '+', size / 3600, colon, size / 60 % 60);
  if (size % 60 != 0) text += fmt::format("{}{:02}", colon, size % 60);
  return text;
}

// Date and time with `digits` (6 or 9) of the fraction; `wall` is shifted by the zone's offset already.
std::string iso_wall(std::int64_t wall, std::int64_t nanoseconds, int digits) {
  const CivilTime c = seconds_to_civil(wall);
  const std::int64_t fraction = digits == 6 ? nanoseconds / 1000 : nanoseconds;
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:0{}}", c.year, c.month, c.day, c.hour, c.minute, c.second,
                     fraction, digits);
}

std::string iso_at(Nanoseconds time, std::int64_t offset, int digits) {
  const SplitTime parts = split(time);
  return iso_wall(parts.seconds + offset, parts.nanoseconds, digits) + offset_text(offset, ":");
}

std::string human_at(Nanoseconds time, bool with_nanoseconds) {
  constexpr std::string_view kDays[] = {"Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"};  // 1970-01-01 was a Thursday
  const SplitTime parts = split(time);
  const std::int64_t offset = local_offset(parts.seconds);
  const std::int64_t wall = parts.seconds + offset;
  const CivilTime c = seconds_to_civil(wall);
  const std::int64_t day = (wall - ((wall % 86400) + 86400) % 86400) / 86400;
  const std::string fraction = with_nanoseconds ? fmt::format(".{:09}", parts.nanoseconds) : "";
  return fmt::format("{}, {:04}-{:02}-{:02} {:02}:{:02}:{:02}{} {}", kDays[((day % 7) + 7) % 7], c.year, c.month, c.day,
                     c.hour, c.minute, c.second, fraction, offset_text(offset, ""));
}

// strftime knows no microseconds and, in C, no "%:z"; both are filled in first.
std::string prepare_format(const std::string& format, std::int64_t nanoseconds, std::int64_t offset) {
  std::string out;
  for (std::size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%' || i + 1 == format.size()) {
      out += format[i];
    } else if (format[i + 1] == 'f') {
      out += fmt::format("{:06}", nanoseconds / 1000);
      ++i;
    } else if (format[i + 1] == 'z') {
      out += offset_text(offset, "");
      ++i;
    } else if (format.compare(i, 3, "%:z") == 0) {
      out += offset_text(offset, ":");
      i += 2;
    } else {
      out += format[i];
      out += format[++i];
    }
  }
  return out;
}

std::string strftime_at(Nanoseconds time, const std::string& format, bool local) {
  const SplitTime parts = split(time);
  const std::time_t when = parts.seconds;
  std::tm fields{};
  if ((local ? ::localtime_r(&when, &fields) : ::gmtime_r(&when, &fields)) == nullptr) return {};
  // A last sign tells an empty result from one that did not fit.
  const std::string prepared = prepare_format(format, parts.nanoseconds, local ? fields.tm_gmtoff : 0) + '.';
  const locale_t c_locale = ::newlocale(LC_ALL_MASK, "C", nullptr);
  std::string out(prepared.size() * 4 + 64, '\0');
  std::size_t size = 0;
  while ((size = ::strftime_l(out.data(), out.size(), prepared.c_str(), &fields, c_locale)) == 0 &&
         out.size() < (std::size_t{1} << 20)) {
    out.resize(out.size() * 4);
  }
  ::freelocale(c_locale);
  out.resize(size > 0 ? size - 1 : 0);
  return out;
}

// What a text says before its zone is applied.
struct IsoParts {
  CivilTime civil;
  std::int64_t microseconds = 0;
  bool midnight_after = false;  // 24:00
  std::optional<std::int64_t> offset;
  std::int64_t offset_microseconds = 0;
};

class IsoParser {
 public:
  explicit IsoParser(std::string_view text) : text_(text) {}

  std::optional<IsoParts> parse() {
    if (!date()) return std::nullopt;
    if (rest_.empty()) return parts_;
    // Any one character stands between date and time, of UTF-8 as many bytes as it has.
    std::size_t separator = 1;
    while (separator < rest_.size() && (static_cast<unsigned char>(rest_[separator]) & 0xc0U) == 0x80) ++separator;
    rest_.remove_prefix(separator);
    if (rest_.empty() || !time()) return std::nullopt;
    return parts_;
  }

 private:
  static std::optional<int> number(std::string_view digits) {
    int value = 0;
    for (const char c : digits) {
      if (c < '0' || c > '9') return std::nullopt;
      value = value * 10 + (c - '0');
    }
    return digits.empty() ? std::nullopt : std::optional(value);
  }
  bool take(std::size_t count, int& to) {
    if (rest_.size() < count) return false;
    const auto value = number(rest_.substr(0, count));
    if (!value) return false;
    to = *value;
    rest_.remove_prefix(count);
    return true;
  }
  bool take_sign(char sign) {
    if (rest_.empty() || rest_.front() != sign) return false;
    rest_.remove_prefix(1);
    return true;
  }

  bool date() {
    rest_ = text_;
    int year = 0;
    if (!take(4, year) || year < 1) return false;
    parts_.civil.year = year;
    const bool dashes = take_sign('-');
    if (take_sign('W')) return week_date(dashes);
    int& month = parts_.civil.month;
    int& day = parts_.civil.day;
    if (!take(2, month) || (dashes && !take_sign('-')) || !take(2, day)) return false;
    return month >= 1 && month <= 12 && day >= 1 && day <= days_in_month(year, month);
  }

  bool week_date(bool dashes) {
    int week = 0;
    int day = 1;
    if (!take(2, week)) return false;
    const bool has_day = dashes ? rest_.size() >= 2 && rest_.front() == '-' && number(rest_.substr(1, 1))
                                : !rest_.empty() && number(rest_.substr(0, 1));
    if (has_day) {
      if (dashes) take_sign('-');
      take(1, day);
    }
    const std::int64_t year = parts_.civil.year;
    // ISO week 1 has the year's fourth of January in it.
    const std::int64_t fourth = civil_to_seconds({.year = year, .month = 1, .day = 4}) / 86400;
    const std::int64_t monday = fourth - ((fourth + 3) % 7 + 7) % 7;
    const std::int64_t next_fourth = civil_to_seconds({.year = year + 1, .month = 1, .day = 4}) / 86400;
    const std::int64_t next_monday = next_fourth - ((next_fourth + 3) % 7 + 7) % 7;
    const std::int64_t start = monday + (week - 1) * 7;
    if (week < 1 || start >= next_monday || day < 1 || day > 7) return false;
    parts_.civil = seconds_to_civil((start + day - 1) * 86400);
    return true;
  }

  // hh[:mm[:ss[.f]]] or the same without colons; used for times and for offsets.
  struct Clock {
    int hour = 0, minute = 0, second = 0;
    int microseconds = 0;
  };
  static std::optional<Clock> clock(std::string_view text) {
    IsoParser parser(text);
    parser.rest_ = text;
    Clock clock;
    if (!parser.take(2, clock.hour)) return std::nullopt;
    if (parser.rest_.empty()) return clock;
    const bool colons = parser.take_sign(':');
    if (!parser.take(2, clock.minute)) return std::nullopt;
    if (parser.rest_.empty()) return clock;
    if (parser.take_sign(':') != colons) return std::nullopt;
    if (!parser.take(2, clock.second)) return std::nullopt;
    if (parser.rest_.empty()) return clock;
    if (!parser.take_sign('.') && !parser.take_sign(',')) return std::nullopt;
    const std::string_view fraction = parser.rest_;
    if (fraction.empty() || fraction.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
    for (std::size_t i = 0; i < 6; ++i) {
      clock.microseconds = clock.microseconds * 10 + (i < fraction.size() ? fraction[i] - '0' : 0);
    }
    return clock;
  }

  bool time() {
    const std::size_t zone = rest_.find_first_of("+-Z");
    const auto at = clock(rest_.substr(0, zone));
    if (!at || at->minute > 59 || at->second > 59) return false;
    if (at->hour == 24) {
      if (at->minute != 0 || at->second != 0 || at->microseconds != 0) return false;
      parts_.midnight_after = true;
    } else if (at->hour > 24) {
      return false;
    }
    parts_.civil.hour = at->hour % 24;
    parts_.civil.minute = at->minute;
    parts_.civil.second = at->second;
    parts_.microseconds = at->microseconds;
    if (zone == std::string_view::npos) return true;
    const std::string_view rest = rest_.substr(zone + 1);
    if (rest_[zone] == 'Z') {
      parts_.offset = 0;
      return rest.empty();
    }
    const auto offset = clock(rest);
    if (!offset || offset->hour > 23 || offset->minute > 59 || offset->second > 59) return false;
    const std::int64_t seconds = offset->hour * 3600 + offset->minute * 60 + offset->second;
    parts_.offset = rest_[zone] == '-' ? -seconds : seconds;
    parts_.offset_microseconds = rest_[zone] == '-' ? -offset->microseconds : offset->microseconds;
    return true;
  }

  std::string_view text_;
  std::string_view rest_;
  IsoParts parts_;
};

Nanoseconds instant_of(const IsoParts& parts, bool local) {
  const std::int64_t extra = parts.midnight_after ? 86400 : 0;
  const CivilTime civil = extra == 0 ? parts.civil : seconds_to_civil(civil_to_seconds(parts.civil) + extra);
  std::int64_t seconds = 0;
  if (parts.offset) {
    seconds = civil_to_seconds(civil) - *parts.offset;
  } else {
    seconds = local ? local_to_seconds(civil) : civil_to_seconds(civil);
  }
  return join(seconds, (parts.microseconds - parts.offset_microseconds) * 1000);
}

Result<Nanoseconds> move_by_span(Nanoseconds from, std::string_view span, int direction) {
  const auto bad = [&] {
    return fail(Code::Usage,
                fmt::format("Invalid relative time marker used: {}, choose from y, m, w, d, H, M, S", span));
  };
  if (span.size() < 2) return bad();
  std::int64_t count = 0;
  for (const char c : span.substr(0, span.size() - 1)) {
    if (c < '0' || c > '9') return bad();
    count = std::min<std::int64_t>(count * 10 + (c - '0'), 10'000'000'000);
  }
  const SplitTime parts = split(from);
  std::int64_t unit = 0;
  switch (span.back()) {
    case 'y':
    case 'm': {
      const std::int64_t months = count * (span.back() == 'y' ? 12 : 1) * direction;
      // Far outside of what Nanoseconds can hold; the calendar need not be asked.
      if (months > 12'000) return INT64_MAX;
      if (months < -12'000) return INT64_MIN;
      return join(civil_to_seconds(add_months(seconds_to_civil(parts.seconds), months)), parts.nanoseconds);
    }
    case 'w':
      unit = 7 * 86400;
      break;
    case 'd':
      unit = 86400;
      break;
    case 'H':
      unit = 3600;
      break;
    case 'M':
      unit = 60;
      break;
    case 'S':
      unit = 1;
      break;
    default:
      return bad();
  }
  return join(parts.seconds + direction * count * unit, parts.nanoseconds);
}

}  // namespace

std::string iso_utc(Nanoseconds time) { return iso_at(time, 0, 6); }
std::string iso_local(Nanoseconds time) { return iso_at(time, local_offset(split(time).seconds), 6); }
std::string plain_local(Nanoseconds time) {
  std::string text = iso_local(time);
  if (const auto t = text.find('T'); t != std::string::npos) text[t] = ' ';
  constexpr std::string_view kNoFraction = ".000000";
  if (const auto at = text.find(kNoFraction); at != std::string::npos) text.erase(at, kNoFraction.size());
  return text;
}
std::string iso_local_ns(Nanoseconds time) { return iso_at(time, local_offset(split(time).seconds), 9); }
std::string human(Nanoseconds time) { return human_at(time, false); }
std::string human_ns(Nanoseconds time) { return human_at(time, true); }
std::string strftime_local(Nanoseconds time, const std::string& format) { return strftime_at(time, format, true); }
std::string strftime_utc(Nanoseconds time, const std::string& format) { return strftime_at(time, format, false); }

std::string duration_text(double seconds) {
  // Whole microseconds, as a Python timedelta counts.
  const auto micros = static_cast<std::int64_t>(std::llround(seconds * 1e6));
  const std::int64_t whole = micros / 1'000'000;
  std::string out;
  if (whole >= 86400) out += fmt::format("{} days ", whole / 86400);
  if (whole / 3600 % 24 != 0) out += fmt::format("{} hours ", whole / 3600 % 24);
  if (whole / 60 % 60 != 0) out += fmt::format("{} minutes ", whole / 60 % 60);
  return out +
         fmt::format("{:.3f} seconds", static_cast<double>(whole % 60) + static_cast<double>(micros % 1'000'000) / 1e6);
}

Result<Nanoseconds> parse_iso(std::string_view text, bool local) {
  const auto parts = IsoParser(text).parse();
  if (!parts) return fail(Code::Error, fmt::format("Invalid isoformat string: '{}'", text));
  return instant_of(*parts, local);
}

Result<Timestamp> parse_timestamp_option(const std::string& text) {
  struct stat facts{};
  if (!text.empty() && ::stat(text.c_str(), &facts) == 0) {
    const Nanoseconds time = join(facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec / 1000 * 1000);
    return Timestamp{.time = time, .stored = iso_utc(time)};
  }
  const auto parts = IsoParser(text).parse();
  if (!parts) return fail(Code::Usage, fmt::format("invalid timestamp value: '{}'", text));
  const Nanoseconds time = instant_of(*parts, true);
  if (!parts->offset) return Timestamp{.time = time, .stored = iso_local(time)};
  return Timestamp{.time = time, .stored = iso_at(time, *parts->offset, 6)};
}

Result<Nanoseconds> subtract_span(Nanoseconds from, std::string_view span) { return move_by_span(from, span, -1); }
Result<Nanoseconds> add_span(Nanoseconds from, std::string_view span) { return move_by_span(from, span, 1); }

}  // namespace cairn::archive
