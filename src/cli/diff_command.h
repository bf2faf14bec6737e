// `diff`: what differs between two archives.
#pragma once

#include "cli/context.h"
#include "cli/diff_options.h"

namespace cairn::cli {

Status run_diff(const DiffOptions& options, Context& context);

}  // namespace cairn::cli
