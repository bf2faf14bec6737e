#include "cli/info_command.h"

#include <nlohmann/json.hpp>

#include <charconv>

#include <fmt/format.h>

#include "archive/metadata.h"
#include "archive/time.h"
#include "base/units.h"
#include "cli/archive_choice.h"
#include "cli/json_output.h"
#include "cli/repository_json.h"
#include "ops/archives.h"

namespace cairn::cli {
namespace {

using nlohmann::json;

double duration_of(const archive::ArchiveSummary& archive) {
  return static_cast<double>((archive.end - archive.start) / 1000) / 1e6;
}

// ["fastcdc", 19, 23, 21, 2]; an empty list if the archive does not say.
json chunker_params_json(const std::optional<chunk::Params>& params) {
  json list = json::array();
  if (!params) return list;
  const std::string text = params->text();
  for (const std::string_view word : split_words(text, ',')) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (error == std::errc() && end == word.data() + word.size())
      list.push_back(number);
    else
      list.push_back(word);
  }
  return list;
}

json archive_json(const archive::ArchiveSummary& archive, const archive::Metadata& metadata) {
  json stats = {{"chunking_time", 0.0}, {"hashing_time", 0.0}, {"nfiles", archive.nfiles}};
  stats["original_size"] = archive.size;
  stats["files_stats"] = json::object();
  stats["store_stats"] = json::object();
  json object = {{"chunker_params", chunker_params_json(metadata.chunker_params)},
                 {"command_line", archive.command_line},
                 {"comment", archive.comment},
                 {"cwd", metadata.cwd.value_or("")},
                 {"duration", duration_of(archive)},
                 {"end", archive::iso_local(archive.end)},
                 {"hostname", archive.hostname},
                 {"id", archive.id.hex()},
                 {"name", archive.name},
                 {"start", archive::iso_local(archive.start)},
                 {"tags", archive.tags},
                 {"time", archive::iso_local(archive.time)},
                 {"username", archive.username}};
  object["stats"] = std::move(stats);
  return object;
}

std::string archive_text(const archive::ArchiveSummary& archive, const archive::Metadata& metadata, Units units) {
  return fmt::format(
      "Archive name: {}\n"
      "Archive fingerprint: {}\n"
      "Comment: {}\n"
      "Hostname: {}\n"
      "Username: {}\n"
      "Tags: {}\n"
      "Time (nominal): {}\n"
      "Time (start): {}\n"
      "Time (end): {}\n"
      "Duration: {}\n"
      "Command line: {}\n"
      "Working Directory: {}\n"
      "Number of files: {}\n"
      "Original size: {}\n",
      archive.name, archive.id.hex(), archive.comment, archive.hostname, archive.username, archive.tags_text(),
      archive::human(archive.time), archive::human(archive.start), archive::human(archive.end),
      archive::duration_text(duration_of(archive)), archive.command_line, metadata.cwd.value_or(""), archive.nfiles,
      format_size(static_cast<std::int64_t>(archive.size), {.units = units}));
}

}  // namespace

Status run_info(const InfoOptions& options, Context& context) {
  CAIRN_TRY(Session session, open_session(context, repo::LockMode::Reading));
  CAIRN_TRY(const auto archives, choose_archives(session, options.name, options.filters));
  json list = json::array();
  bool first = true;
  for (const archive::ArchiveSummary& archive : archives) {
    auto metadata = ops::load_metadata(*session.repository, archive.id);
    if (!metadata) {
      // One damaged archive does not hide the others.
      Error error = std::move(metadata).error().at(fmt::format("reading archive {}", archive.id.hex()));
      if (archive.problem == archive::ArchiveSummary::Problem::None || options.name) return fail(std::move(error));
      const Code code = error.code();
      log({.level = Level::Warning, .logger = "borg.archiver", .message = error_line(error), .code = &code});
      continue;
    }
    if (options.json) {
      list.push_back(archive_json(archive, *metadata));
      continue;
    }
    if (!first) context.output.write("\n");
    first = false;
    context.output.write(context.output.out_text(archive_text(archive, *metadata, context.units)));
  }
  if (options.json) {
    json document = {{"archives", std::move(list)}};
    add_repository_json(*session.repository, WithCache::Yes, document);
    write_json(context.output, document);
  }
  return session.repository->close();
}

}  // namespace cairn::cli
