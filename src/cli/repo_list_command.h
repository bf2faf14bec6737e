#pragma once

#include "cli/context.h"
#include "cli/repo_list_options.h"

namespace cairn::cli {
Status run_repo_list(const RepoListOptions& options, Context& context);
}
