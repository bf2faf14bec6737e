#pragma once

#include "cli/context.h"
#include "cli/transfer_options.h"

namespace cairn::cli {
Status run_transfer(const TransferOptions& options, Context& context);
}
