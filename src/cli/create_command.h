#pragma once

#include "cli/context.h"
#include "cli/create_options.h"

namespace cairn::cli {
Status run_create(const CreateOptions& options, Context& context);
}
