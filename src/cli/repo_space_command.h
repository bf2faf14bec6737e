// `repo-space`: space held back in the repository.
#pragma once

#include "cli/context.h"
#include "cli/repo_space_options.h"

namespace cairn::cli {

Status run_repo_space(const RepoSpaceOptions& options, Context& context);

}  // namespace cairn::cli
