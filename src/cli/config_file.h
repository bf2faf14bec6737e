// The configuration file: YAML (of which JSON is a part) with option defaults.
// Top-level keys are common options or commands; a command's value holds its options, a group's its commands.
// Errors    Usage. Exceptions of the YAML library stay in the source file.
// Source    docs/format (cli, section 1.4).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace cairn::cli {

struct ConfigEntry {
  std::string section;              // "", "create", "key export"
  std::string key;                  // "compression", "keep-daily": '_' is written '-'
  std::vector<std::string> values;  // one, or several for a repeatable option
};

// `name` is for messages.
Result<std::vector<ConfigEntry>> parse_config(const std::string& text, const std::string& name);

}  // namespace cairn::cli
