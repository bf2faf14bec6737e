// Options of `compact`. Source: docs/format (cli, section 10.16).
#pragma once

#include "cli/option_table.h"

namespace cairn::cli {

struct CompactOptions {
  bool dry_run = false, stats = false;
  int threshold = 10;  // per cent
};

extern const Command kCompact;

}  // namespace cairn::cli
