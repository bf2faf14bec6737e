// `info`: what is known about archives.
#pragma once

#include "cli/context.h"
#include "cli/info_options.h"

namespace cairn::cli {

Status run_info(const InfoOptions& options, Context& context);

}  // namespace cairn::cli
