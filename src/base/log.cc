#include "base/log.h"

#include <atomic>
#include <cstdio>
#include <mutex>

namespace cairn {
namespace {

std::atomic<Level> g_level{Level::Warning};

std::mutex& sink_mutex() {
  static std::mutex mutex;
  return mutex;
}
LogSink& sink() {
  static LogSink instance;
  return instance;
}

}  // namespace

void set_log_sink(LogSink new_sink) {
  const std::lock_guard lock(sink_mutex());
  sink() = std::move(new_sink);
}

void set_log_level(Level level) { g_level.store(level, std::memory_order_relaxed); }
bool log_enabled(Level level) { return level >= g_level.load(std::memory_order_relaxed); }

void log(const LogRecord& record) {
  const std::lock_guard lock(sink_mutex());
  if (sink()) {
    sink()(record);
  } else if (record.level >= Level::Warning) {
    std::fprintf(stderr, "%.*s\n", static_cast<int>(record.message.size()), record.message.data());
  }
}

void log(Level level, std::string_view logger, std::string_view message) {
  log(LogRecord{.level = level, .logger = logger, .message = message});
}

}  // namespace cairn
