// What a command's run function is given, and the table that finds it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "cli/common_options.h"
#include "cli/exit_codes.h"
#include "cli/log_sink.h"
#include "cli/option_table.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/prompts.h"

namespace cairn::cli {

struct Context {
  const CommonOptions& common;
  std::string program;             // as invoked: "cairn", "borg"
  std::vector<std::string> words;  // the whole command line with the program's path, for an archive's command_line
  Output& output;                  // standard output and error
  LogWriter& log;                  // enable(list, stats), file_status(); other messages go through cairn::log()
  ExitStatus& exit;
  ProgressOutput& progress;
  Prompts& prompts;
  Units units;
};

// An Error that run returns is printed, and decides the exit code. Warnings are logged with their code.
using RunFunction = Status (*)(const void* options, Context& context);

template <class Options, Status (*run)(const Options&, Context&)>
Status run_as(const void* options, Context& context) {
  return run(*static_cast<const Options*>(options), context);
}

struct RunEntry {
  const Command* command;
  RunFunction run;
};
std::span<const RunEntry> run_table();

// argv as Python's shlex.join writes it: words quoted where a shell would split or expand them.
std::string joined_command_line(std::span<const std::string> words);

}  // namespace cairn::cli
