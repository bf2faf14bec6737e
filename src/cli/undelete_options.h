// Options of `undelete`. Source: docs/format (cli, section 10.14).
#pragma once

#include <optional>
#include <string>

#include "cli/archive_filter_options.h"
#include "cli/option_table.h"

namespace cairn::cli {

struct UndeleteOptions {
  bool dry_run = false, list = false;
  ArchiveFilters filters;
  std::optional<std::string> name;
};

extern const Command kUndelete;

}  // namespace cairn::cli
