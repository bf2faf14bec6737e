// Options of `break-lock` and `with-lock`. Source: docs/format (cli, section 10.27).
#pragma once

#include <string>
#include <vector>

#include "cli/option_table.h"

namespace cairn::cli {

struct BreakLockOptions {};

struct WithLockOptions {
  std::string command;
  std::vector<std::string> arguments;
};

extern const Command kBreakLock;
extern const Command kWithLock;

}  // namespace cairn::cli
