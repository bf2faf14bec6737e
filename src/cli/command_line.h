// From the words of the command line to filled option structs.
//
// Rules     options and positionals mix; "--" ends options; --opt=value, -oVALUE, -o=VALUE, joined short flags,
//           unambiguous beginnings of long options. Common options may stand before, between and after the command's
//           words; the innermost value wins. Precedence: command line, environment (BORG_CREATE__COMMENT, BORG_REPO),
//           --config FILE, default.yaml, built-in. A lower source never sets an option that a higher source excludes.
// Errors    UsageError (usage text, tip, "error: MESSAGE" on standard error, exit code 2) or a program error.
// Source    docs/format (cli, sections 1.1 and 1.4).
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/error.h"
#include "cli/common_options.h"
#include "cli/option_table.h"

namespace cairn::cli {

// What the parser may ask of its surroundings; tests give their own.
struct Surroundings {
  std::function<std::optional<std::string>(const std::string&)> variable;
  // The file's text; nothing if there is no such file.
  std::function<Result<std::optional<std::string>>(const std::string&)> read_file;
};
Surroundings system_surroundings();

enum class ValueSource { CommandLine, Environment, ConfigFile };
struct Setting {        // one value that did not come from the built-in defaults, for --print_config
  std::string section;  // command, or empty for common options
  const Option* option;
  std::string text;
  ValueSource source;
};

struct Invocation {
  enum class Action { Run, Help, Version, PrintConfig };
  Action action = Action::Run;
  std::string topic;                 // Help: "", "create", "key"
  const Command* command = nullptr;  // Run, PrintConfig
  CommonOptions common;
  ProgramOptions program;
  OptionsBox options{nullptr, [](void*) {}};  // the command's struct
  std::vector<Setting> settings;

  template <class T>
  const T& as() const {
    return *static_cast<const T*>(options.get());
  }
};

struct UsageError {
  std::string command;  // whose usage and tip to print: "create", "key export", "key", or empty for the program
  std::string message;
};

using Parsed = std::variant<Invocation, UsageError, Error>;

// `words` without the program's name.
Parsed parse_command_line(std::span<const std::string> words, const Surroundings& surroundings);

// "usage: ...", the tip and the error line.
std::string usage_error_text(const std::string& program, const UsageError& error);

}  // namespace cairn::cli
