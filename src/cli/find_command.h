// `find`: items that match, over many archives.
#pragma once

#include "cli/context.h"
#include "cli/find_options.h"

namespace cairn::cli {

Status run_find(const FindOptions& options, Context& context);

}  // namespace cairn::cli
