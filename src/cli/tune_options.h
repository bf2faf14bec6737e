// Options of `tune`.
#pragma once

#include <string>

#include "cli/option_table.h"

namespace cairn::cli {

struct TuneOptions {
  bool quick = false, thorough = false;
  int runs = 0;  // of a point; 0: what the effort has
  double margin = 1.0;
  std::string readers;  // directory; empty: do not measure readers
  bool json = false;
  std::string svg, html, from_json;
  bool open = false, apply = false, show = false;
};

extern const Command kTune;

}  // namespace cairn::cli
