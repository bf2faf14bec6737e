// How far back a file's time must lie for a later change to be sure of another time.
//
// A kernel stamps files with a clock that ticks (1 to 10 ms), some file systems round to 1 or 2 seconds, and a file
// server stamps with a clock of its own: two changes within one tick carry one time, and what was read between them
// looks unchanged for ever.
#pragma once

#include "base/clock.h"

namespace cairn::fs {

// For file systems whose times come from this machine's clock with fractions of a second, and for all others.
inline constexpr Nanoseconds kFineSlack = 20'000'000;
inline constexpr Nanoseconds kCoarseSlack = 3 * kSecond;

// Of the file system that the open file lies in.
Nanoseconds timestamp_slack(int fd);

// Whether a file of that time, read at `since` or later, cannot change unseen. A time of whole seconds may be a rounded
// one, whatever the file system promises.
constexpr bool is_settled(Nanoseconds time, Nanoseconds since, Nanoseconds slack) {
  return time < since - (time % kSecond == 0 ? kCoarseSlack : slack);
}

}  // namespace cairn::fs
