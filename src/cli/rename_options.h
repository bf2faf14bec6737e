// Options of `rename` and `copy`. Source: docs/format (cli, section 10.18).
#pragma once

#include <string>

#include "cli/option_table.h"

namespace cairn::cli {

struct RenameOptions {
  std::string old_name, new_name;
};
struct CopyOptions {
  std::string old_name, new_name;
};

extern const Command kRename;
extern const Command kCopy;

}  // namespace cairn::cli
