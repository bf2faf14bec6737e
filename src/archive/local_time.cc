#include "archive/local_time.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <mutex>

#include "base/env.h"

namespace cairn::archive {
namespace {

constexpr std::int64_t kDay = 86400;

std::int64_t floor_divide(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

bool is_leap(std::int64_t year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); }

// Days from 1970-01-01 to the first of January of `year`.
std::int64_t days_to_year(std::int64_t year) {
  const std::int64_t before = year - 1;
  return before * 365 + floor_divide(before, 4) - floor_divide(before, 100) + floor_divide(before, 400) - 719162;
}

// Sets TZ for its lifetime.
class ZoneGuard {
 public:
  explicit ZoneGuard(const std::string& name) : old_(env("TZ")) {
    ::setenv("TZ", (":" + name).c_str(), 1);
    ::tzset();
  }
  ZoneGuard(const ZoneGuard&) = delete;
  ZoneGuard& operator=(const ZoneGuard&) = delete;
  ~ZoneGuard() {
    if (old_) {
      ::setenv("TZ", old_->c_str(), 1);
    } else {
      ::unsetenv("TZ");
    }
    ::tzset();
  }

 private:
  std::optional<std::string> old_;
};

bool zone_exists(const std::string& name) {
  const bool well_formed = !name.empty() && name.front() != '/' && name.find("..") == std::string::npos &&
                           name.find('\0') == std::string::npos;
  if (!well_formed) return false;
  const std::string folder = env_nonempty("TZDIR").value_or("/usr/share/zoneinfo");
  struct stat facts{};
  return ::stat((folder + "/" + name).c_str(), &facts) == 0 && S_ISREG(facts.st_mode);
}

}  // namespace

int days_in_month(std::int64_t year, int month) {
  constexpr int kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return month == 2 && is_leap(year) ? 29 : kDays[month - 1];
}

std::int64_t civil_to_seconds(const CivilTime& civil) {
  std::int64_t days = days_to_year(civil.year) + civil.day - 1;
  for (int month = 1; month < civil.month; ++month) days += days_in_month(civil.year, month);
  return days * kDay + civil.hour * 3600 + civil.minute * 60 + civil.second;
}

CivilTime seconds_to_civil(std::int64_t seconds) {
  const std::int64_t days = floor_divide(seconds, kDay);
  const auto rest = static_cast<int>(seconds - days * kDay);
  CivilTime civil;
  civil.year = 1970 + floor_divide(days, days < 0 ? 365 : 366);  // never too late
  while (days_to_year(civil.year + 1) <= days) ++civil.year;
  auto day = static_cast<int>(days - days_to_year(civil.year));
  while (day >= days_in_month(civil.year, civil.month)) day -= days_in_month(civil.year, civil.month++);
  civil.day = day + 1;
  civil.hour = rest / 3600;
  civil.minute = rest / 60 % 60;
  civil.second = rest % 60;
  return civil;
}

CivilTime add_months(CivilTime civil, std::int64_t months) {
  const std::int64_t total = civil.year * 12 + civil.month - 1 + months;
  civil.year = floor_divide(total, 12);
  civil.month = static_cast<int>(total - civil.year * 12) + 1;
  civil.day = std::min(civil.day, days_in_month(civil.year, civil.month));
  return civil;
}

std::int64_t local_offset(std::int64_t seconds) {
  const std::time_t when = seconds;
  std::tm local{};
  if (::localtime_r(&when, &local) == nullptr) return 0;
  return local.tm_gmtoff;
}

std::int64_t local_to_seconds(const CivilTime& civil) {
  const std::int64_t wall = civil_to_seconds(civil);
  // No zone changes its clock twice within two days.
  const std::int64_t before = local_offset(wall - kDay);
  const std::int64_t after = local_offset(wall + kDay);
  const std::int64_t first = std::min(wall - before, wall - after);
  const std::int64_t second = std::max(wall - before, wall - after);
  if (first + local_offset(first) == wall) return first;
  if (second + local_offset(second) == wall) return second;
  return wall - before;
}

bool in_zone(const std::string& name, const std::function<void()>& work) {
  static std::mutex one_at_a_time;
  if (!zone_exists(name)) return false;
  const std::scoped_lock lock(one_at_a_time);
  const ZoneGuard zone(name);
  work();
  return true;
}

SplitTime split(Nanoseconds time) {
  const std::int64_t seconds = floor_divide(time, kSecond);
  return {.seconds = seconds, .nanoseconds = time - seconds * kSecond};
}

Nanoseconds join(std::int64_t seconds, std::int64_t nanoseconds) {
  constexpr std::int64_t kLimit = INT64_MAX / kSecond;
  if (seconds >= kLimit) return INT64_MAX;
  if (seconds <= -kLimit) return INT64_MIN;
  return seconds * kSecond + nanoseconds;
}

}  // namespace cairn::archive
