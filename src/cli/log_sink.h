// Where log records go: bare lines on standard error, or with --log-json one JSON object each.
//
// Loggers   borg.output.stats, .list, .show-rc, .show-version and .progress are on at INFO when their option is given,
//           whatever the log level; so do not guard them with log_enabled().
// Exit code a record of level WARNING or above with a code is noted in the ExitStatus.
// Source    docs/format (cli, section 5).
#pragma once

#include <string_view>

#include "base/clock.h"
#include "base/log.h"
#include "cli/common_options.h"
#include "cli/exit_codes.h"
#include "cli/output.h"

namespace cairn::cli {

struct LogSettings {
  Level level = Level::Warning;
  std::vector<std::string> debug_topics{};
  bool json = false;
  bool list = false, stats = false, show_rc = false, show_version = false, progress = false;
};
LogSettings log_settings(const CommonOptions& common);  // without list and stats, which belong to commands

class LogWriter {
 public:
  LogWriter(Output& output, ExitStatus& exit, LogSettings settings, const Clock& clock = system_clock());
  void write(const LogRecord& record);
  // --list and --stats of the command that runs.
  void enable(bool list, bool stats);
  bool wants(const LogRecord& record) const;
  // A line of --list: "A src/file1", or a file_status record.
  void file_status(char status, std::string_view path);
  void error(const Error& error);  // at ERROR level, as the end of a run

 private:
  Output& output_;
  ExitStatus& exit_;
  LogSettings settings_;
  const Clock& clock_;
};

// Makes `writer` the program's log sink; it must stay alive until remove_log_sink().
void install_log_sink(LogWriter& writer, const LogSettings& settings);
void remove_log_sink();

}  // namespace cairn::cli
