// The measuring part of `tune`: which points, how long each, and what is shown meanwhile.
#pragma once

#include "cli/context.h"
#include "cli/tune_options.h"
#include "measure/tuning.h"

namespace cairn::cli {

// An interruption is no error: the result is then not complete.
Result<measure::Tuning> tune_machine(const TuneOptions& options, Context& context);

}  // namespace cairn::cli
