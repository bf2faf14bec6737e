// `help`: of the program, a command or a topic; and the manual pages.
#pragma once

#include "cli/context.h"
#include "cli/help_options.h"

namespace cairn::cli {

Status run_help(const HelpOptions& options, Context& context);

}  // namespace cairn::cli
