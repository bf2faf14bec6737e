#include "cli/archive_statistics.h"

#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "archive/time.h"
#include "base/log.h"
#include "base/units.h"
#include "cli/json_output.h"

namespace cairn::cli {
namespace {

nlohmann::json files_stats_json(const std::map<char, std::uint64_t>& stats) {
  nlohmann::json object = nlohmann::json::object();
  for (const auto& [letter, count] : stats) object[std::string(1, letter)] = count;
  return object;
}

Nanoseconds nominal_time(const ops::CreateResult& result) {
  return archive::parse_iso(result.metadata.time, false).value_or(result.start);
}

}  // namespace

void log_archive_statistics(const ops::CreateResult& result, const std::string& location, Units units,
                            std::string_view logger) {
  auto line = [logger](const std::string& text) { log(Level::Info, logger, text); };
  const auto& totals = result.totals;
  auto count = [&](char letter) {
    const auto found = totals.files_stats.find(letter);
    return found == totals.files_stats.end() ? 0 : found->second;
  };
  auto size = [&](std::uint64_t bytes) { return format_size(static_cast<std::int64_t>(bytes), {.units = units}); };
  line(fmt::format("Repository: {}", location));
  line(fmt::format("Archive name: {}", result.metadata.name));
  line(fmt::format("Archive fingerprint: {}", result.id.hex()));
  line(fmt::format("Time (nominal): {}", archive::human(nominal_time(result))));
  line(fmt::format("Time (start):   {}", archive::human(result.start)));
  line(fmt::format("Time (end):     {}", archive::human(result.end)));
  line(fmt::format("Duration: {}", archive::duration_text(static_cast<double>(result.end - result.start) * 1e-9)));
  line(fmt::format("Number of files: {}", totals.files));
  line(fmt::format("Original size: {}", size(totals.original_size)));
  line(fmt::format("Deduplicated size: {}", size(totals.deduplicated_size)));
  line(fmt::format("Time spent in hashing: {}", archive::duration_text(totals.hashing_seconds)));
  line(fmt::format("Time spent in chunking: {}", archive::duration_text(totals.chunking_seconds)));
  line(fmt::format("Added files: {}", count('A')));
  line(fmt::format("Unchanged files: {}", count('U')));
  line(fmt::format("Modified files: {}", count('M')));
  line(fmt::format("Error files: {}", count('E')));
  line(fmt::format("Files changed while reading: {}", count('C')));
}

void add_archive_json(const ops::CreateResult& result, nlohmann::json store_stats, nlohmann::json& document) {
  const auto& totals = result.totals;
  nlohmann::json archive;
  set_text(archive, "name", result.metadata.name);
  archive["id"] = result.id.hex();
  archive["time"] = archive::iso_local(nominal_time(result));
  archive["start"] = archive::iso_local(result.start);
  archive["end"] = archive::iso_local(result.end);
  archive["duration"] = static_cast<double>((result.end - result.start) / 1000) * 1e-6;
  set_text(archive, "command_line", result.metadata.command_line);
  archive["stats"] = {{"original_size", totals.original_size},
                      {"deduplicated_size", totals.deduplicated_size},
                      {"nfiles", totals.files},
                      {"hashing_time", totals.hashing_seconds},
                      {"chunking_time", totals.chunking_seconds},
                      {"files_stats", files_stats_json(totals.files_stats)},
                      {"store_stats", std::move(store_stats)}};
  document["archive"] = std::move(archive);
}

}  // namespace cairn::cli
