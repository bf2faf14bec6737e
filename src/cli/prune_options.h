// Options of `prune`. Source: docs/format (cli, section 10.15).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "archive/prune.h"
#include "cli/archive_filter_options.h"
#include "cli/option_table.h"

namespace cairn::cli {

struct PruneOptions {
  bool dry_run = false, list = false, short_form = false, list_pruned = false, list_kept = false, json = false;
  std::optional<std::string> format, from;
  std::vector<archive::GroupKey> group_by{archive::GroupKey::Name, archive::GroupKey::Host};
  archive::PruneRules rules;
  ArchiveFilters filters;  // --match-archives only
  std::optional<std::string> name;
};

extern const Command kPrune;

}  // namespace cairn::cli
