// Options of `import-tar`. Source: docs/format (cli, section 10.22).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/option_table.h"

namespace cairn::cli {

struct ImportTarOptions {
  std::string tar_filter = "auto";
  bool stats = false, list = false, json = false, ignore_zeros = false;
  std::optional<std::string> filter;  // status letters
  int strip_components = 0;
  std::string comment;
  std::optional<std::string> timestamp, chunker_params, compression;
  std::optional<std::vector<std::string>> digests;
  std::string name, file;
};

extern const Command kImportTar;

}  // namespace cairn::cli
