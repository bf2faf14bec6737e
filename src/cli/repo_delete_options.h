// Options of `repo-delete`. Source: docs/format (cli, section 10.4).
#pragma once

#include "cli/option_table.h"

namespace cairn::cli {

struct RepoDeleteOptions {
  bool dry_run = false, list = false, force = false, cache_only = false, keep_security_info = false;
};

extern const Command kRepoDelete;

}  // namespace cairn::cli
