// `break-lock` and `with-lock`.
#pragma once

#include "cli/context.h"
#include "cli/lock_options.h"

namespace cairn::cli {

Status run_break_lock(const BreakLockOptions& options, Context& context);
Status run_with_lock(const WithLockOptions& options, Context& context);

}  // namespace cairn::cli
