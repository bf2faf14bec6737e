#pragma once

#include "cli/context.h"
#include "cli/repo_compress_options.h"

namespace cairn::cli {
Status run_repo_compress(const RepoCompressOptions& options, Context& context);
}
