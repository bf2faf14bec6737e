// Manual pages in troff's man macros, made from the option tables: cairn.1, cairn-create.1, cairn-key-export.1, and one
// page per topic: cairn-patterns.1.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"

namespace cairn::cli {

struct ManPage {
  std::string file_name;  // "cairn-create.1"
  std::string text;
};
std::vector<ManPage> man_pages();

// Writes them all into an existing directory.
Status write_man_pages(const std::string& directory);

}  // namespace cairn::cli
