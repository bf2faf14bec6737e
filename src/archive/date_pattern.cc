#include "archive/date_pattern.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "archive/local_time.h"
#include "archive/python_text.h"

namespace cairn::archive {
namespace {

enum class Precision { Year, Month, Day, Hour, Minute, Second, Fraction };

class DateParser {
 public:
  explicit DateParser(std::string_view text) : text_(text), rest_(text) {}

  Result<DatePattern> parse() {
    if (take('@')) return epoch();
    if (!take_date() || !take_zone()) return unrecognised();
    CAIRN_CHECKED(check_ranges());
    return in_given_zone();
  }

 private:
  std::unexpected<Error> unrecognised() const {
    return fail(Code::Command, fmt::format("unrecognised date: {}", python_repr(text_)));
  }

  bool take(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool take_digits(std::size_t count, int& to) {
    if (rest_.size() < count) return false;
    int value = 0;
    for (const char c : rest_.substr(0, count)) {
      if (c < '0' || c > '9') return false;
      value = value * 10 + (c - '0');
    }
    to = value;
    rest_.remove_prefix(count);
    return true;
  }
  // A point and one to six digits, as microseconds.
  bool take_fraction(std::int64_t& micros) {
    if (!take('.')) return false;
    int digit = 0;
    int count = 0;
    std::int64_t scale = 100'000;
    for (; count < 6 && take_digits(1, digit); ++count, scale /= 10) micros += digit * scale;
    return count > 0;
  }

  // Each further part is optional, but only if nothing but the zone follows. "-12:00" behind the year or the month is a
  // zone, "-12" a month or day.
  bool take_date() {
    int year = 0;
    if (!take_digits(4, year)) return false;
    civil_.year = year;
    if (!take_part('-', civil_.month)) return true;
    precision_ = Precision::Month;
    if (!take_part('-', civil_.day)) return true;
    precision_ = Precision::Day;
    if (!take_part('T', civil_.hour) && !take_part(' ', civil_.hour)) return true;
    precision_ = Precision::Hour;
    if (!take_part(':', civil_.minute)) return true;
    precision_ = Precision::Minute;
    if (!take_part(':', civil_.second)) return true;
    precision_ = Precision::Second;
    const std::string_view before = rest_;
    if (take_fraction(micros_)) {
      precision_ = Precision::Fraction;
    } else {
      rest_ = before;
    }
    return true;
  }
  bool take_part(char lead, int& to) {
    const std::string_view before = rest_;
    int value = 0;
    if (take(lead) && take_digits(2, value) && !(lead == '-' && rest_.starts_with(':'))) {
      to = value;
      return true;
    }
    rest_ = before;
    return false;
  }

  bool take_zone() {
    if (rest_.empty()) return true;
    if (take('Z')) {
      offset_ = 0;
      return rest_.empty();
    }
    if (rest_.size() > 2 && rest_.front() == '[' && rest_.back() == ']') {
      zone_ = rest_.substr(1, rest_.size() - 2);
      return zone_.find_first_of("[]") == std::string::npos;
    }
    const bool negative = rest_.front() == '-';
    if (!take('+') && !take('-')) return false;
    if (!take_digits(2, offset_hours_) || !take(':') || !take_digits(2, offset_minutes_) || !rest_.empty())
      return false;
    const std::int64_t size = offset_hours_ * 3600 + offset_minutes_ * 60;
    offset_ = negative ? -size : size;
    return true;
  }

  Status check_ranges() const {
    const auto bad = [](std::string reason) { return fail(Code::Command, std::move(reason)); };
    if (offset_hours_ > 23 || offset_minutes_ > 59) return bad("invalid UTC offset format");
    if (offset_ && (*offset_ < -12 * 3600 || *offset_ > 14 * 3600)) return bad("UTC offset outside ISO-8601 bounds");
    const CivilTime& c = civil_;
    if (c.year < 1) return bad(fmt::format("year must be in 1..9999, not {}", c.year));
    if (c.month < 1 || c.month > 12) return bad(fmt::format("month must be in 1..12, not {}", c.month));
    const int days = days_in_month(c.year, c.month);
    if (c.day < 1 || c.day > days) {
      return bad(fmt::format("day {} must be in range 1..{} for month {} in year {}", c.day, days, c.month, c.year));
    }
    if (c.hour > 23) return bad(fmt::format("hour must be in 0..23, not {}", c.hour));
    if (c.minute > 59) return bad(fmt::format("minute must be in 0..59, not {}", c.minute));
    if (c.second > 59) return bad(fmt::format("second must be in 0..59, not {}", c.second));
    return {};
  }

  Result<DatePattern> in_given_zone() const {
    if (offset_) {
      return interval([this](const CivilTime& civil) { return civil_to_seconds(civil) - *offset_; });
    }
    if (zone_.empty()) return interval(local_to_seconds);
    Result<DatePattern> pattern = DatePattern{};
    if (!in_zone(zone_, [&] { pattern = interval(local_to_seconds); })) {
      return fail(Code::Command, "invalid timezone format");
    }
    return pattern;
  }

  // The next civil time of the same precision, by the calendar and the wall clock.
  CivilTime next() const {
    const std::int64_t wall = civil_to_seconds(civil_);
    switch (precision_) {
      case Precision::Year:
        return add_months(civil_, 12);
      case Precision::Month:
        return add_months(civil_, 1);
      case Precision::Day:
        return seconds_to_civil(wall + 86400);
      case Precision::Hour:
        return seconds_to_civil(wall + 3600);
      case Precision::Minute:
        return seconds_to_civil(wall + 60);
      default:
        return seconds_to_civil(wall + 1);
    }
  }

  Result<DatePattern> interval(const std::function<std::int64_t(const CivilTime&)>& to_seconds) const {
    const Nanoseconds from = join(to_seconds(civil_), micros_ * 1000);
    if (precision_ == Precision::Fraction) return DatePattern{from, from};
    const CivilTime end = next();
    if (end.year > 9999) {
      if (precision_ <= Precision::Month) {
        return fail(Code::Command, fmt::format("year must be in 1..9999, not {}", end.year));
      }
      return fail(Code::Command, "date value out of range");
    }
    return DatePattern{from, join(to_seconds(end), 0)};
  }

  Result<DatePattern> epoch() {
    std::int64_t seconds = 0;
    int digit = 0;
    std::size_t count = 0;
    for (; take_digits(1, digit); ++count) seconds = std::min<std::int64_t>(seconds * 10 + digit, INT64_MAX / 20);
    if (count == 0) return unrecognised();
    std::int64_t micros = 0;
    const bool exact = rest_.starts_with('.');
    if (exact && !take_fraction(micros)) return unrecognised();
    const Nanoseconds from = join(seconds, micros * 1000);
    if (!rest_.empty()) {
      if (!take_zone()) return unrecognised();
      return fail(Code::Command, "Unix timestamps must not have timezone suffixes");
    }
    if (from == INT64_MAX) return fail(Code::Command, "date value out of range");
    return DatePattern{from, exact ? from : join(seconds + 1, 0)};
  }

  std::string_view text_;
  std::string_view rest_;
  CivilTime civil_;
  std::int64_t micros_ = 0;
  Precision precision_ = Precision::Year;
  std::optional<std::int64_t> offset_;
  int offset_hours_ = 0, offset_minutes_ = 0;
  std::string zone_;
};

}  // namespace

Result<DatePattern> parse_date_pattern(std::string_view text) { return DateParser(text).parse(); }

}  // namespace cairn::archive
