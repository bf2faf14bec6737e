#pragma once

#include "cli/context.h"
#include "cli/list_options.h"

namespace cairn::cli {
Status run_list(const ListOptions& options, Context& context);
}
