// `prune`: deletes the archives that no rule keeps.
#pragma once

#include "cli/context.h"
#include "cli/prune_options.h"

namespace cairn::cli {

Status run_prune(const PruneOptions& options, Context& context);

}  // namespace cairn::cli
