// `delete` marks archives as deleted, `undelete` brings them back.
#pragma once

#include "cli/delete_options.h"
#include "cli/context.h"

namespace cairn::cli {

Status run_delete(const DeleteOptions& options, Context& context);
Status run_undelete(const DeleteOptions& options, Context& context);

}  // namespace cairn::cli
