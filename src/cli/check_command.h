#pragma once

#include "cli/check_options.h"
#include "cli/context.h"

namespace cairn::cli {
Status run_check(const CheckOptions& options, Context& context);
}
