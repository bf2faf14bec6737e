// Options of `tag`. Source: docs/format (cli, section 10.19).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/archive_filter_options.h"
#include "cli/option_table.h"

namespace cairn::cli {

struct TagOptions {
  std::vector<std::string> set_tags, add, remove;
  bool clear = false;
  ArchiveFilters filters;
  std::optional<std::string> name;
  bool changes() const { return clear || !set_tags.empty() || !add.empty() || !remove.empty(); }
};

extern const Command kTag;

}  // namespace cairn::cli
