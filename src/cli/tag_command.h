// `tag`: changes and lists the tags of archives.
#pragma once

#include "cli/context.h"
#include "cli/tag_options.h"

namespace cairn::cli {

Status run_tag(const TagOptions& options, Context& context);

}  // namespace cairn::cli
