// Options of `repo-space`. Source: docs/format (cli, section 10.5).
#pragma once

#include <cstdint>

#include "cli/option_table.h"

namespace cairn::cli {

struct RepoSpaceOptions {
  std::uint64_t reserve = 0;  // bytes
  bool free = false;
};

extern const Command kRepoSpace;

}  // namespace cairn::cli
