// Any text as the JSON inside a lock object and as its time.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "repo/flat_json.h"
#include "repo/lock.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cairn;  // NOLINT: one small program
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (const auto json = repo::FlatJson::parse(text)) {
    (void)json->boolean("exclusive");
    (void)json->integer("processid");
    if (const auto host = json->text("hostid")) {
      const auto again = repo::FlatJson::parse("{\"hostid\":" + repo::json_text(*host) + "}");
      if (!again || again->text("hostid") != host) std::abort();
    }
    if (const auto time = json->text("time")) (void)repo::parse_lock_time(*time);
  }
  if (const auto time = repo::parse_lock_time(text)) (void)repo::lock_time_text(*time);
  return 0;
}
