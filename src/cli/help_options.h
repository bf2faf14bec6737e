// Options of `help`. Source: docs/format (cli, section 10.31).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/option_table.h"

namespace cairn::cli {

struct HelpOptions {
  bool epilog_only = false, usage_only = false;
  std::optional<std::string> manual_directory;  // write the manual pages there
  std::vector<std::string> topic;               // "create", "key export", "patterns"
};

extern const Command kHelp;

}  // namespace cairn::cli
