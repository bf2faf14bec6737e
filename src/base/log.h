// What the program says beside its results. Rooms call log(); cli decides where it goes and in which form.
//
// Threads   log() may be called from any thread; the sink serialises.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/error.h"

namespace cairn {

enum class Level { Debug, Info, Warning, Error, Critical };

struct LogRecord {
  Level level;
  std::string_view logger;  // Borg's logger names: "borg.repository", "borg.archive", "borg.output.stats" ...
  std::string_view message;
  // Borg's message id and what a warning does to the exit code, when the record stands for an Error.
  const Code* code = nullptr;
};

using LogSink = std::function<void(const LogRecord&)>;

// Call before threads start. Without a sink, records of level Warning and up go to standard error as bare lines.
void set_log_sink(LogSink sink);
// The lowest level that the sink wants; a caller may skip composing a message below it.
void set_log_level(Level level);
bool log_enabled(Level level);

void log(Level level, std::string_view logger, std::string_view message);
void log(const LogRecord& record);

}  // namespace cairn
