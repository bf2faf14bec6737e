// Options of `analyze`. Source: docs/format (cli, section 10.28).
#pragma once

#include <optional>
#include <vector>

#include "archive/prune.h"
#include "cli/archive_filter_options.h"
#include "cli/option_table.h"

namespace cairn::cli {

struct AnalyzeOptions {
  std::optional<std::vector<archive::GroupKey>> group_by;
  bool json = false;
  ArchiveFilters filters;
};

extern const Command kAnalyze;

}  // namespace cairn::cli
