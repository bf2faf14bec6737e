// Options of `transfer`. Source: docs/format (cli, section 10.21).
#pragma once

#include <optional>
#include <string>

#include "cli/archive_filter_options.h"
#include "cli/option_table.h"

namespace cairn::cli {

struct TransferOptions {
  bool dry_run = false, from_borg1 = false;
  std::string other_repo;
  std::string upgrader = "NoOp", recompress = "never";
  std::optional<std::string> compression, chunker_params;
  ArchiveFilters filters;
};

extern const Command kTransfer;

}  // namespace cairn::cli
