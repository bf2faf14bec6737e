// Starting a program whose input or output Cairn holds.
//
// The child ignores SIGINT (Ctrl-C reaches Cairn alone), has the usual reaction to SIGPIPE and SIGXFSZ, and does not
// see passphrase variables. Errors    Command: "Failed to execute command: ...".
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/error.h"

namespace cairn::ops {

// `input` and `output` become its standard input and output; -1 leaves Cairn's own.
Result<pid_t> spawn_child(const std::vector<std::string>& words, int input, int output);
// Its exit code, or the number of the signal that ended it, negative.
int wait_for_child(pid_t child);

}  // namespace cairn::ops
