#pragma once

#include "cli/context.h"
#include "cli/import_tar_options.h"

namespace cairn::cli {
Status run_import_tar(const ImportTarOptions& options, Context& context);
}
