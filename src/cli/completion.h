// Scripts that teach a shell to complete command lines, made from the option tables.
// Source: docs/format (cli, section 10.31).
#pragma once

#include <string>
#include <string_view>

namespace cairn::cli {

inline constexpr const char kCompletionShells[] = "bash|zsh|tcsh|fish|powershell";

// The name that a script is for: the one by which the program was invoked, if that is a name of it, else "cairn".
std::string completed_program(std::string_view invoked_as);

// `program` is what the script completes: "cairn".
std::string completion_script(std::string_view shell, std::string_view program);

}  // namespace cairn::cli
