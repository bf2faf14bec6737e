#pragma once

#include "cli/compact_options.h"
#include "cli/context.h"

namespace cairn::cli {
Status run_compact(const CompactOptions& options, Context& context);
}
