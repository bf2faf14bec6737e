// `undelete`: brings archives back that are marked as deleted.
#pragma once

#include "cli/context.h"
#include "cli/undelete_options.h"

namespace cairn::cli {

Status run_undelete(const UndeleteOptions& options, Context& context);

}  // namespace cairn::cli
