// Options of `delete`. Source: docs/format (cli, section 10.13).
#pragma once

#include <optional>
#include <string>

#include "cli/archive_filter_options.h"
#include "cli/option_table.h"

namespace cairn::cli {

struct DeleteOptions {
  bool dry_run = false, list = false;
  ArchiveFilters filters;
  std::optional<std::string> name;
};

extern const Command kDelete;

}  // namespace cairn::cli
