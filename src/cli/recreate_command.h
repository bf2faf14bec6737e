#pragma once

#include "cli/context.h"
#include "cli/recreate_options.h"

namespace cairn::cli {
Status run_recreate(const RecreateOptions& options, Context& context);
}
