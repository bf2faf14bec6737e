#pragma once

#include "cli/context.h"
#include "cli/export_tar_options.h"

namespace cairn::cli {
Status run_export_tar(const ExportTarOptions& options, Context& context);
}
