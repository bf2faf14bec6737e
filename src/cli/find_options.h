// Options of `find`. Source: docs/format (cli, section 10.9).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/archive_filter_options.h"
#include "cli/option_table.h"
#include "cli/pattern_options.h"

namespace cairn::cli {

struct FindOptions {
  std::optional<std::string> format;
  bool json_lines = false;
  ArchiveFilters filters;
  PatternArguments patterns;
  std::vector<std::string> paths;
};

extern const Command kFind;

}  // namespace cairn::cli
