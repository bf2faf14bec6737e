// Options of `delete` and `undelete`. Source: docs/format (cli, sections 10.13 and 10.14).
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

extern const Command kDelete, kUndelete;

}  // namespace cairn::cli
