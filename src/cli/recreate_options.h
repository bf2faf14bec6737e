// Options of `recreate`. Source: docs/format (cli, section 10.20).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/archive_filter_options.h"
#include "cli/option_table.h"
#include "cli/pattern_options.h"

namespace cairn::cli {

struct RecreateOptions {
  bool list = false, dry_run = false, stats = false;
  std::optional<std::string> filter;  // status letters
  std::optional<std::string> target, comment, timestamp, compression, chunker_params;
  ArchiveFilters filters;
  PatternArguments patterns;
  TagFileOptions tag_files;
  std::vector<std::string> paths;
};

extern const Command kRecreate;

}  // namespace cairn::cli
