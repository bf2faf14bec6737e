// Options of `extract`. Source: docs/format (cli, section 10.10).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/option_table.h"
#include "cli/pattern_options.h"

namespace cairn::cli {

struct ExtractOptions {
  bool list = false, stats = false, dry_run = false;
  bool numeric_ids = false, noflags = false, noacls = false, noxattrs = false;
  bool to_stdout = false, sparse = false, continue_extraction = false;
  bool overwrite = false, check_content = false, remove_others = false;
  std::optional<std::string> target;
  int strip_components = 0;
  PatternArguments patterns;
  std::string name;
  std::vector<std::string> paths;
};

extern const Command kExtract;

}  // namespace cairn::cli
