// `completion`: a script for a shell.
#pragma once

#include "cli/completion_options.h"
#include "cli/context.h"

namespace cairn::cli {

Status run_completion(const CompletionOptions& options, Context& context);

}  // namespace cairn::cli
