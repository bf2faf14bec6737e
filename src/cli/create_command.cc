// create: a new archive from files, standard input or a command's output.
#include "cli/create_command.h"

#include <unistd.h>

#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "archive/placeholders.h"
#include "archive/time.h"
#include "base/host.h"
#include "cli/json_output.h"
#include "cli/path_list.h"
#include "cli/repository_json.h"
#include "cli/session.h"
#include "cli/signals.h"
#include "ops/child_output.h"
#include "ops/create.h"

namespace cairn::cli {
namespace {

class Observer final : public ops::CreateObserver {
 public:
  Observer(const CreateOptions& options, Context& context) : options_(options), context_(context) {
    if (context.progress.enabled()) progress_.emplace(context.progress);
  }
  void status(char letter, const std::string& path) override {
    if (options_.filter && options_.filter->find(letter) == std::string::npos) return;
    context_.log.file_status(letter, path);
  }
  void warning(const Error& error) override { log_warning(error); }
  void progress(const ops::CreateProgress& now) override {
    if (!progress_ || !progress_->due()) return;
    progress_->show({.original_size = now.original_size,
                     .deduplicated_size = now.deduplicated_size,
                     .nfiles = now.files,
                     .hashing_time = now.hashing_seconds,
                     .chunking_time = now.chunking_seconds,
                     .files_stats = now.files_stats,
                     .path = now.path});
  }
  void finish() {
    if (progress_) progress_->finish();
  }

 private:
  const CreateOptions& options_;
  Context& context_;
  std::optional<ArchiveProgress> progress_;
};

// Checks that need more than one option; like Borg, after parsing and in the program's usage form.
Status check_combinations(const CreateOptions& options, Context& context) {
  CAIRN_CHECKED(check_progress_and_list(context.common, options.list));
  if (options.map || options.reuse_from || options.reuse_path) {
    return fail(Code::Error, "--map, --reuse-from and --reuse-path are not there yet.");
  }
  if (options.paths_from_stdin && !options.paths.empty())
    return fail(Code::Usage, "Must not pass PATH with --paths-from-stdin.");
  if ((options.content_from_command || options.paths_from_command || options.paths_from_shell_command) &&
      options.paths.empty()) {
    return fail(Code::Usage, "No command given.");
  }
  return {};
}

Result<ops::CreateRequest> make_request(const CreateOptions& options, Context& context, const match::Matcher& matcher) {
  ops::CreateRequest request;
  archive::PlaceholderContext placeholders{.now = system_clock().now()};
  if (options.timestamp) {
    CAIRN_TRY(request.timestamp, archive::parse_timestamp_option(*options.timestamp));
    placeholders.now = request.timestamp->time;
  }
  CAIRN_TRY(request.name, archive::replace_placeholders(options.name, placeholders));
  CAIRN_TRY(request.comment, archive::replace_placeholders(options.comment, placeholders));
  request.tags = options.tags;
  request.command_line = joined_command_line(context.words);
  request.hostname = hostname();
  request.username = username();
  request.matcher = &matcher;
  request.stdin_name = options.stdin_name;
  request.stdin_user = options.stdin_user;
  request.stdin_group = options.stdin_group;
  request.stdin_mode = static_cast<std::uint32_t>(options.stdin_mode);
  request.dry_run = options.dry_run;
  request.one_file_system = options.one_file_system;
  request.numeric_ids = options.numeric_ids;
  request.atime = options.atime;
  request.ctime = !options.noctime;
  request.flags = !options.noflags;
  request.acls = !options.noacls;
  request.xattrs = !options.noxattrs;
  request.sparse = options.sparse;
  request.read_special = options.read_special;
  request.read_special_timeout = static_cast<std::uint64_t>(options.read_special_timeout);
  request.exclude_caches = options.tag_files.exclude_caches;
  request.exclude_if_present = options.tag_files.exclude_if_present;
  request.keep_exclude_tags = options.tag_files.keep_exclude_tags;
  if (options.digests) request.digests = *options.digests;
  CAIRN_TRY(request.files_cache, ops::parse_files_cache_mode(options.files_cache));
  request.group_by = options.group_by;
  request.change_detection = options.files_changed == "ctime"   ? ops::ChangeDetection::Ctime
                             : options.files_changed == "mtime" ? ops::ChangeDetection::Mtime
                                                                : ops::ChangeDetection::Disabled;
  request.want_status = options.list;
  request.interrupted = &interrupted();
  for (const auto& [given, name] : {std::pair(request.stdin_user, true), std::pair(request.stdin_group, false)}) {
    if (given && (name ? fs::user_id(*given) : fs::group_id(*given)) < 0) {
      return fail(Code::Error, fmt::format("no such {}: {}", name ? "user" : "group", *given));
    }
  }
  return request;
}

// Compression and chunker: the option, else the repository's default, else the built-in one.
Status choose_methods(const CreateOptions& options, repo::Repository& repository, ops::CreateRequest& request) {
  CAIRN_TRY(const repo::Defaults defaults, repository.defaults());
  auto invalid = [&](std::string_view what, const std::string& text) {
    return fail(Code::InvalidRepositoryConfig,
                fmt::format("{} does not have a valid config. Check the repository config [invalid default {} '{}'].",
                            repository.location(), what, text));
  };
  if (options.compression) {
    CAIRN_TRY(request.compression, compress::parse_spec(*options.compression));
  } else if (defaults.compression) {
    auto spec = compress::parse_spec(*defaults.compression);
    if (!spec) return invalid("compression", *defaults.compression);
    request.compression = *spec;
  }
  chunk::Params fallback;
  if (defaults.chunker_params) {
    auto params = chunk::parse_params(*defaults.chunker_params);
    if (!params) return invalid("chunker params", *defaults.chunker_params);
    fallback = *params;
  }
  CAIRN_TRY(request.chunker, chunk::parse_params(options.chunker_params.value_or("default"), fallback));
  return {};
}

void log_statistics(const ops::CreateResult& result, const Session& session, Context& context) {
  auto line = [](const std::string& text) { log(Level::Info, "borg.output.stats", text); };
  const auto& totals = result.totals;
  auto count = [&](char letter) {
    const auto found = totals.files_stats.find(letter);
    return found == totals.files_stats.end() ? 0 : found->second;
  };
  auto size = [&](std::uint64_t bytes) { return size_text(static_cast<std::int64_t>(bytes), context.units); };
  const Nanoseconds nominal = archive::parse_iso(result.metadata.time, false).value_or(result.start);
  line(fmt::format("Repository: {}", session.location()));
  line(fmt::format("Archive name: {}", result.metadata.name));
  line(fmt::format("Archive fingerprint: {}", result.id.hex()));
  line(fmt::format("Time (nominal): {}", archive::human(nominal)));
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
  log_store_statistics(*session.statistics, context.units);
}

nlohmann::json files_stats_json(const std::map<char, std::uint64_t>& stats) {
  nlohmann::json object = nlohmann::json::object();
  for (const auto& [letter, count] : stats) object[std::string(1, letter)] = count;
  return object;
}

void write_statistics_json(const ops::CreateResult& result, const Session& session, const CreateOptions& options,
                           Context& context) {
  nlohmann::json document;
  const auto& totals = result.totals;
  if (options.dry_run) {
    document["dry_run"] = true;
    document["stats"] = {{"nfiles", totals.files}, {"original_size", totals.original_size}};
    add_repository_json(*session.repository, WithCache::No, document);
  } else {
    const Nanoseconds nominal = archive::parse_iso(result.metadata.time, false).value_or(result.start);
    nlohmann::json store_stats = nlohmann::json::object();
    for (std::size_t i = 0; i < store::kOperations; ++i) {
      const auto operation = static_cast<store::Operation>(i);
      const auto count = session.statistics->of(operation);
      if (count.calls == 0) continue;
      store_stats[fmt::format("{}_calls", store::name_of(operation))] = count.calls;
      if (count.bytes > 0) store_stats[fmt::format("{}_volume", store::name_of(operation))] = count.bytes;
    }
    nlohmann::json archive;
    set_text(archive, "name", result.metadata.name);
    archive["id"] = result.id.hex();
    archive["time"] = archive::iso_local(nominal);
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
    add_repository_json(*session.repository, WithCache::Yes, document);
  }
  write_json(context.output, document);
}

}  // namespace

Status run_create(const CreateOptions& options, Context& context) {
  CAIRN_CHECKED(check_combinations(options, context));
  const bool stats = options.stats || options.json;
  context.log.enable(options.list, stats && !options.json);
  CAIRN_TRY(match::Matcher matcher, build_matcher(options.patterns, {}));
  matcher.set_fallback(true);
  if (!options.paths_from_elsewhere() && options.paths.empty() && matcher.roots().empty()) {
    return fail(Code::Usage, "Need at least one PATH argument.");
  }
  CAIRN_TRY(ops::CreateRequest request, make_request(options, context, matcher));

  std::optional<ops::ChildOutput> child;
  std::optional<PathList> listed;
  if (options.content_from_command) {
    request.content_command = options.paths;
  } else if (options.paths_from_elsewhere()) {
    int fd = STDIN_FILENO;
    if (!options.paths_from_stdin) {
      std::vector<std::string> words = options.paths;
      if (options.paths_from_shell_command) {
        std::string line;
        for (const auto& word : options.paths) line += (line.empty() ? "" : " ") + word;
        words = {"/bin/sh", "-c", line};
      }
      CAIRN_TRY(auto started, ops::ChildOutput::start(words));
      child.emplace(std::move(started));
      fd = child->output();
    }
    listed.emplace(fd, options.paths_delimiter);
    request.next_path = [&]() -> Result<std::optional<std::string>> {
      CAIRN_TRY(auto next, listed->next());
      if (!next && child) CAIRN_CHECKED(child->wait());
      return next;
    };
  } else {
    request.roots = options.paths;
  }

  CAIRN_TRY(Session session, open_session(context, repo::LockMode::Shared));
  CAIRN_CHECKED(choose_methods(options, *session.repository, request));
  request.readers = session.tuned_readers;
  log(Level::Info, "borg.archiver.create_cmd",
      fmt::format("Creating archive \"{}\" in repository {}", request.name, session.location()));
  Observer observer(options, context);
  auto result = ops::create(*session.repository, *session.pool, request, observer);
  observer.finish();
  if (!result) return std::unexpected<Error>(std::move(result).error());
  if (options.json) {
    write_statistics_json(*result, session, options, context);
  } else if (options.stats && options.dry_run) {
    log(Level::Info, "borg.output.stats", fmt::format("Number of files: {}", result->totals.files));
    log(Level::Info, "borg.output.stats",
        fmt::format("Original size: {}",
                    size_text(static_cast<std::int64_t>(result->totals.original_size), context.units)));
  } else if (options.stats) {
    log_statistics(*result, session, context);
  }
  if (context.progress.enabled() && !options.dry_run) {
    MessageProgress saving(context.progress, "cache.close");
    for (const char* step : {"Saving files cache", "Saving index", "Saving cache config"}) saving.show(step);
    saving.finish();
  }
  return session.repository->close();
}

}  // namespace cairn::cli
