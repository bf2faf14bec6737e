// Options of `check`. Source: docs/format (cli, section 10.17).
#pragma once

#include <optional>
#include <string>

#include "cli/archive_filter_options.h"
#include "cli/option_table.h"

namespace cairn::cli {

struct CheckOptions {
  bool repository_only = false, archives_only = false, verify_data = false, repair = false, find_lost_archives = false;
  std::optional<std::string> max_age;  // time span
  int max_duration = 0;                // seconds, 0: no limit
  std::optional<std::string> format;
  ArchiveFilters filters;
};

extern const Command kCheck;

}  // namespace cairn::cli
