// `analyze`: what archives take in a repository, and where they change.
#pragma once

#include "cli/analyze_options.h"
#include "cli/context.h"

namespace cairn::cli {

Status run_analyze(const AnalyzeOptions& options, Context& context);

}  // namespace cairn::cli
