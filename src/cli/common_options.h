// Options that every command has, and those of the program itself.
// Source: docs/format (cli, section 2).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/log.h"
#include "cli/option_table.h"

namespace cairn::cli {

struct CommonOptions {
  Level level = Level::Warning;
  std::vector<std::string> debug_topics;
  bool progress = false;
  bool log_json = false;
  int lock_wait = 10;  // seconds; negative waits for ever
  bool show_version = false;
  bool show_rc = false;
  int umask = 0077;
  std::string repo;  // as given, placeholders not expanded; empty: none
  int threads = 0;   // 0: what the machine offers
  std::optional<std::string> rsh, remote_path;
  bool iec = false;
};

struct ProgramOptions {
  std::string config;                       // --config FILE
  std::optional<std::string> print_config;  // flags: "skip_default", "skip_unset", comma separated
  bool cockpit = false;
};

std::span<const Option> common_options();   // fill CommonOptions
std::span<const Option> program_options();  // fill ProgramOptions; before the command only

// Both write lines that would mix: a usage error, except with --log-json.
Status check_progress_and_list(const CommonOptions& common, bool list);

}  // namespace cairn::cli
