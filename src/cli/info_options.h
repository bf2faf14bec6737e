// Options of `info`. Source: docs/format (cli, section 10.12).
#pragma once

#include <optional>
#include <string>

#include "cli/archive_filter_options.h"
#include "cli/option_table.h"

namespace cairn::cli {

struct InfoOptions {
  bool json = false;
  ArchiveFilters filters;
  std::optional<std::string> name;
};

extern const Command kInfo;

}  // namespace cairn::cli
