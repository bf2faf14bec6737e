// The program behind main(): parse, set up the streams, run the command, make the exit code.
#pragma once

#include <span>
#include <string>

#include "cli/command_line.h"
#include "cli/output.h"

namespace cairn::cli {

// `words` with the program's path. Returns the exit code; the output is flushed.
int run_program(std::span<const std::string> words, const Surroundings& surroundings, Output& output);

}  // namespace cairn::cli
