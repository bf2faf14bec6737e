// `version`: whose behaviour the client and the server provide.
#pragma once

#include "cli/context.h"
#include "cli/version_options.h"

namespace cairn::cli {

Status run_version(const VersionOptions& options, Context& context);

}  // namespace cairn::cli
