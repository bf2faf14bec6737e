#include "cli/log_sink.h"

#include <algorithm>
#include <utility>

#include "cli/display_text.h"
#include "cli/json_text.h"

namespace cairn::cli {
namespace {

constexpr std::string_view kOutputPrefix = "borg.output.";

std::string_view level_name(Level level) {
  switch (level) {
    case Level::Debug:
      return "DEBUG";
    case Level::Info:
      return "INFO";
    case Level::Warning:
      return "WARNING";
    case Level::Error:
      return "ERROR";
    case Level::Critical:
      return "CRITICAL";
  }
  return "INFO";
}

}  // namespace

LogSettings log_settings(const CommonOptions& common) {
  return {.level = common.level,
          .debug_topics = common.debug_topics,
          .json = common.log_json,
          .list = false,
          .stats = false,
          .show_rc = common.show_rc,
          .show_version = common.show_version,
          .progress = common.progress};
}

LogWriter::LogWriter(Output& output, ExitStatus& exit, LogSettings settings, const Clock& clock)
    : output_(output), exit_(exit), settings_(std::move(settings)), clock_(clock) {}

void LogWriter::enable(bool list, bool stats) {
  settings_.list = list;
  settings_.stats = stats;
}

bool LogWriter::wants(const LogRecord& record) const {
  if (record.level >= settings_.level) return true;
  if (record.logger.starts_with(kOutputPrefix)) {
    const std::string_view name = record.logger.substr(kOutputPrefix.size());
    const bool on = (name == "list" && settings_.list) || (name == "stats" && settings_.stats) ||
                    (name == "show-rc" && settings_.show_rc) || (name == "show-version" && settings_.show_version) ||
                    (name == "progress" && settings_.progress);
    return on && record.level >= Level::Info;
  }
  return std::ranges::any_of(settings_.debug_topics, [&](const std::string& topic) {
    const std::string full = topic.find('.') == std::string::npos ? "borg.debug." + topic : topic;
    return record.logger == full || record.logger.starts_with(full + ".");
  });
}

void LogWriter::write(const LogRecord& record) {
  if (record.code != nullptr && record.level >= Level::Warning) exit_.note(*record.code);
  if (!wants(record)) return;
  if (!settings_.json) {
    output_.error_line(output_.error_display(record.message));
    return;
  }
  JsonLine line;
  line.raw_text("type", "log_message").real("time", static_cast<double>(clock_.now()) / 1e9);
  line.text("message", record.message).raw_text("levelname", level_name(record.level)).raw_text("name", record.logger);
  if (record.code != nullptr && !message_id_of(*record.code).empty())
    line.raw_text("msgid", message_id_of(*record.code));
  output_.error_line(line.str());
}

void LogWriter::file_status(char status, std::string_view path) {
  if (!settings_.json) {
    const std::string shown = output_.error_display(path);
    output_.error_line(std::string(1, status) + " " + (output_.error_is_terminal() ? one_line(shown) : shown));
    return;
  }
  JsonLine line;
  line.raw_text("type", "file_status").raw_text("status", std::string_view(&status, 1)).text("path", path);
  output_.error_line(line.str());
}

void LogWriter::error(const Error& error) {
  const Code code = error.code();
  write({.level = Level::Error, .logger = "borg.archiver", .message = error_line(error), .code = &code});
}

void install_log_sink(LogWriter& writer, const LogSettings& settings) {
  set_log_level(settings.debug_topics.empty() ? settings.level : Level::Debug);
  set_log_sink([&writer](const LogRecord& record) { writer.write(record); });
}
void remove_log_sink() { set_log_sink({}); }

}  // namespace cairn::cli
