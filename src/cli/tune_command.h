// `tune`: measures the machine, shows what to set, and keeps it if asked to.
#pragma once

#include "cli/context.h"
#include "cli/tune_options.h"

namespace cairn::cli {

Status run_tune(const TuneOptions& options, Context& context);

}  // namespace cairn::cli
