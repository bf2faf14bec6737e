// Calendar arithmetic between instants and a zone's wall clock.
//
// The zone is the process's own (TZ) or one named like "Europe/Berlin".
// Threads   all safe, but in_zone() changes TZ for a moment: call it before other threads start.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/clock.h"

namespace cairn::archive {

struct CivilTime {
  std::int64_t year = 1970;
  int month = 1, day = 1, hour = 0, minute = 0, second = 0;
};

// Seconds since the epoch of a civil time in UTC, and back. Proleptic Gregorian calendar, any year.
std::int64_t civil_to_seconds(const CivilTime& civil);
CivilTime seconds_to_civil(std::int64_t seconds);
int days_in_month(std::int64_t year, int month);
// The same day some months later or earlier, the day cut to the month's length.
CivilTime add_months(CivilTime civil, std::int64_t months);

// The local zone's distance from UTC at an instant, in seconds.
std::int64_t local_offset(std::int64_t seconds);
// The instant at which the local clock shows `civil`: the first one if there are two; if there is none (clocks went
// forward over it), as if they had not yet.
std::int64_t local_to_seconds(const CivilTime& civil);

// Runs `work` with the named zone as the local one. False if the system has no such zone.
bool in_zone(const std::string& name, const std::function<void()>& work);

// Whole seconds, rounded down, and the nanoseconds above them.
struct SplitTime {
  std::int64_t seconds = 0;
  std::int64_t nanoseconds = 0;
};
SplitTime split(Nanoseconds time);
// Saturates at what Nanoseconds can hold.
Nanoseconds join(std::int64_t seconds, std::int64_t nanoseconds);

}  // namespace cairn::archive
