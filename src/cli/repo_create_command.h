#pragma once

#include "cli/context.h"
#include "cli/repo_create_options.h"

namespace cairn::cli {
Status run_repo_create(const RepoCreateOptions& options, Context& context);
}
