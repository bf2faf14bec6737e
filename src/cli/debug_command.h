// The `debug` commands.
#pragma once

#include "cli/context.h"
#include "cli/debug_options.h"

namespace cairn::cli {

Status run_debug_chunk(const DebugChunkOptions& options, Context& context);

}  // namespace cairn::cli
