// Options of `list`. Source: docs/format (cli, section 10.8).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/option_table.h"
#include "cli/pattern_options.h"

namespace cairn::cli {

struct ListOptions {
  bool short_form = false;  // format "{path}{NL}"
  std::optional<std::string> format;
  bool json_lines = false;
  std::optional<int> depth;
  std::vector<std::string> sort_by;  // "size", ">mtime"
  PatternArguments patterns;
  std::string name;
  std::vector<std::string> paths;
};

extern const Command kList;

}  // namespace cairn::cli
