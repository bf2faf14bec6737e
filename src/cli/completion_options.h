// Options of `completion`. Source: docs/format (cli, section 10.31).
#pragma once

#include <string>

#include "cli/option_table.h"

namespace cairn::cli {

struct CompletionOptions {
  std::string shell;
};

extern const Command kCompletion;

}  // namespace cairn::cli
