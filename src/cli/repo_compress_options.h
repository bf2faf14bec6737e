// Options of `repo-compress`. Source: docs/format (cli, section 10.6).
#pragma once

#include <optional>
#include <string>

#include "cli/option_table.h"

namespace cairn::cli {

struct RepoCompressOptions {
  std::optional<std::string> compression;
  bool stats = false;
};

extern const Command kRepoCompress;

}  // namespace cairn::cli
