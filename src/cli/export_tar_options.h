// Options of `export-tar`. Source: docs/format (cli, section 10.22).
#pragma once

#include <string>
#include <vector>

#include "cli/option_table.h"
#include "cli/pattern_options.h"

namespace cairn::cli {

struct ExportTarOptions {
  std::string tar_filter = "auto";
  bool list = false, sparse = false;
  std::string tar_format = "PAX";
  int strip_components = 0;
  PatternArguments patterns;
  std::string name, file;
  std::vector<std::string> paths;
};

extern const Command kExportTar;

}  // namespace cairn::cli
