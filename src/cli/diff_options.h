// Options of `diff`. Source: docs/format (cli, section 10.11).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/option_table.h"
#include "cli/pattern_options.h"

namespace cairn::cli {

struct DiffOptions {
  bool numeric_ids = false, same_chunker_params = false, json_lines = false, stats = false, content_only = false;
  std::optional<std::string> format;
  std::vector<std::string> sort_by;
  PatternArguments patterns;
  std::string archive1, archive2;
  std::vector<std::string> paths;
};

extern const Command kDiff;

}  // namespace cairn::cli
