// A child program that has the terminal while Cairn waits for it: with-lock.
//
// Signals   Ctrl-C and Ctrl-\ reach the child by themselves and do not end Cairn; SIGTERM and SIGHUP are passed on. So
//           Cairn always gets to give back what it holds. The child does not see passphrase variables.
// Threads   one at a time per process: handlers are replaced meanwhile.
// Errors    Command: "Failed to execute command: ...".
#pragma once

#include <string>
#include <vector>

#include "base/error.h"

namespace cairn::ops {

// Runs the program and waits. Its exit code, or 128 plus the signal that ended it.
Result<int> run_in_foreground(const std::vector<std::string>& words);

}  // namespace cairn::ops
