// `repo-info`: what is known about a repository.
#pragma once

#include "cli/context.h"
#include "cli/repo_info_options.h"

namespace cairn::cli {

Status run_repo_info(const RepoInfoOptions& options, Context& context);

}  // namespace cairn::cli
