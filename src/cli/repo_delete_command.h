// `repo-delete`: removes a repository and what this machine keeps about it.
#pragma once

#include "cli/context.h"
#include "cli/repo_delete_options.h"

namespace cairn::cli {

Status run_repo_delete(const RepoDeleteOptions& options, Context& context);

}  // namespace cairn::cli
