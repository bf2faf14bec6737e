// Options of `repo-list`. Source: docs/format (cli, section 10.2).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/archive_filter_options.h"
#include "cli/option_table.h"

namespace cairn::cli {

struct RepoListOptions {
  bool short_form = false;  // format "{id}{NL}"
  bool from_borg1 = false;
  std::optional<std::string> format;
  std::vector<std::string> group_by;
  bool json = false;
  bool deleted = false;
  ArchiveFilters filters;
};

extern const Command kRepoList;

}  // namespace cairn::cli
