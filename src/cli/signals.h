// Ctrl-C and its relatives. The first one asks the running command to end in an orderly way; a second Ctrl-C, at least
// 20 ms later, ends the program at once with 130.
//
// Threads   interrupted() is an atomic that any thread may read.
// Source    docs/format (archive, section 4.14; cli, section 4).
#pragma once

#include <atomic>

namespace cairn::cli {

// Catches SIGINT, SIGTERM and SIGHUP from here on. For commands that look at interrupted().
void catch_signals();
const std::atomic<bool>& interrupted();
// The signal that came first, or 0.
int caught_signal();

}  // namespace cairn::cli
