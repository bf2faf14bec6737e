// `delete` marks archives as deleted, `undelete` brings them back.
#pragma once

#include "cli/context.h"
#include "cli/delete_options.h"

namespace cairn::cli {

Status run_delete(const DeleteOptions& options, Context& context);
Status run_undelete(const DeleteOptions& options, Context& context);

}  // namespace cairn::cli
