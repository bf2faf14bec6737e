// `rename` and `copy`: an archive under another name.
#pragma once

#include "cli/context.h"
#include "cli/rename_options.h"

namespace cairn::cli {

Status run_rename(const RenameOptions& options, Context& context);
Status run_copy(const CopyOptions& options, Context& context);

}  // namespace cairn::cli
