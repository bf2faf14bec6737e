// Options of `repo-info`. Source: docs/format (cli, section 10.3).
#pragma once

#include "cli/option_table.h"

namespace cairn::cli {

struct RepoInfoOptions {
  bool json = false;
};

extern const Command kRepoInfo;

}  // namespace cairn::cli
