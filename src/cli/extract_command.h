#pragma once

#include "cli/context.h"
#include "cli/extract_options.h"

namespace cairn::cli {
Status run_extract(const ExtractOptions& options, Context& context);
}
