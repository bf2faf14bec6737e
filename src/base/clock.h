// Time as a value that tests can set.
#pragma once

#include <cstdint>

namespace cairn {

// Nanoseconds since 1970-01-01 UTC, or of an arbitrary monotonic start.
using Nanoseconds = std::int64_t;
constexpr Nanoseconds kSecond = 1'000'000'000;

class Clock {
 public:
  virtual ~Clock() = default;
  virtual Nanoseconds now() const = 0;        // wall clock, UTC
  virtual Nanoseconds monotonic() const = 0;  // never goes back, includes no suspend
  virtual void sleep(Nanoseconds duration) const = 0;
};

const Clock& system_clock();

}  // namespace cairn
