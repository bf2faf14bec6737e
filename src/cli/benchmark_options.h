// Options of the `benchmark` commands. Source: docs/format (cli, section 10.30; benchmark).
#pragma once

#include <optional>
#include <string>

#include "cli/option_table.h"

namespace cairn::cli {

struct BenchmarkCpuOptions {
  bool json = false;
  bool chunking = false, hashing = false, encrypting = false, compressing = false, msgpacking = false;
  std::optional<std::string> data;
  // What Borg does not have.
  bool kernels = false, sweep = false;
  std::optional<std::string> svg;

  // Nothing chosen means all that Borg has.
  bool chooses() const { return chunking || hashing || encrypting || compressing || msgpacking || kernels; }
};

struct BenchmarkCrudOptions {
  std::string path;
  bool json_lines = false;
};

extern const Command kBenchmarkCpu;
extern const Command kBenchmarkCrud;

}  // namespace cairn::cli
