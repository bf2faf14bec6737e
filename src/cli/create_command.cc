// create: a new archive from files, standard input or a command's output.
#include "cli/create_command.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "archive/placeholders.h"
#include "archive/time.h"
#include "base/host.h"
#include "base/units.h"
#include "cli/archive_observer.h"
#include "cli/archive_statistics.h"
#include "cli/json_output.h"
#include "cli/methods.h"
#include "cli/path_list.h"
#include "cli/repository_json.h"
#include "cli/session.h"
#include "cli/signals.h"
#include "cli/store_report.h"
#include "fs/node.h"
#include "ops/archives.h"
#include "ops/child_output.h"
#include "ops/create.h"

namespace cairn::cli {
namespace {

// Checks that need more than one option; like Borg, after parsing and in the program's usage form.
Status check_combinations(const CreateOptions& options, Context& context) {
  CAIRN_CHECKED(check_progress_and_list(context.common, options.list));
  if (options.paths_from_stdin && !options.paths.empty())
    return fail(Code::Usage, "Must not pass PATH with --paths-from-stdin.");
  if ((options.content_from_command || options.paths_from_command || options.paths_from_shell_command) &&
      options.paths.empty()) {
    return fail(Code::Usage, "No command given.");
  }
  return {};
}

Status check_read_special(const CreateOptions& options) {
  if (!options.read_special_timeout || options.read_special) return {};
  return fail(Code::Command, "--read-special-timeout requires --read-special.");
}

// --map is for one file or block device. `roots`: of patterns.
Status check_map(const CreateOptions& options, const std::vector<std::string>& roots) {
  const auto refuse = [](const std::string& why) { return fail(Code::Command, why); };
  if (options.reuse_from && !options.map) return refuse("--reuse-from requires --map.");
  if (options.reuse_path && !options.reuse_from) return refuse("--reuse-path requires --reuse-from.");
  if (!options.map) return {};
  if (options.paths_from_elsewhere()) return refuse("--map cannot be used with --paths-from-*.");
  if (options.content_from_command) return refuse("--map cannot be used with --content-from-command.");
  // Borg applies the map to roots of patterns too, whatever they are.
  if (options.paths.size() != 1 || !roots.empty()) return refuse("--map requires exactly one input path.");
  const std::string& path = options.paths.front();
  if (path == "-") return refuse("--map cannot be used with stdin input.");
  const auto stat = fs::stat_at(AT_FDCWD, path, true, path);
  if (!stat) return refuse(fmt::format("--map input: {}: {}", path, stat.error().message()));
  const bool block = (stat->mode & S_IFMT) == S_IFBLK;
  if (block && !options.read_special) return refuse("--map with a block device requires --read-special.");
  if (!block && !stat->is_regular()) return refuse("--map input must be a regular file or a block device.");
  return {};
}

// The content that --reuse-from and --reuse-path mean.
Result<std::vector<archive::ChunkRef>> find_reference(Session& session, const CreateOptions& options) {
  // As strictly as create() loads it.
  CAIRN_CHECKED(session.repository->load_index(repo::BadFragments::Error, *session.pool));
  CAIRN_TRY(const archive::ArchiveSummary archive, find_archive(session, *options.reuse_from));
  CAIRN_TRY(const archive::Metadata metadata, ops::load_metadata(*session.repository, archive.id));
  return ops::reference_content(*session.repository, *session.pool, metadata, options.reuse_path);
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
  if (options.read_special_timeout) {
    request.read_special_timeout = static_cast<std::uint64_t>(*options.read_special_timeout);
  }
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

void write_statistics_json(const ops::CreateResult& result, const Session& session, const CreateOptions& options,
                           const ProblemSummary& problems, Context& context) {
  nlohmann::json document;
  const auto& totals = result.totals;
  if (options.dry_run) {
    document["dry_run"] = true;
    document["stats"] = {{"nfiles", totals.files}, {"original_size", totals.original_size}};
    add_repository_json(*session.repository, WithCache::No, document);
  } else {
    add_archive_json(result, store_statistics_json(*session.statistics), document);
    add_repository_json(*session.repository, WithCache::Yes, document);
  }
  if (!problems.empty()) document["problems"] = problems.json();
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
  CAIRN_CHECKED(check_read_special(options));
  CAIRN_CHECKED(check_map(options, matcher.roots()));
  CAIRN_TRY(ops::CreateRequest request, make_request(options, context, matcher));
  if (options.map) {
    CAIRN_TRY(request.map, ops::load_input_map(*options.map, options.reuse_from.has_value()));
  }

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
  CAIRN_TRY(request.compression, choose_compression(options.compression, *session.repository));
  CAIRN_TRY(request.chunker, choose_chunker(options.chunker_params, *session.repository));
  request.readers = session.tuned_readers;
  if (options.reuse_from) {
    CAIRN_TRY(request.reference, find_reference(session, options));
  }
  log(Level::Info, "borg.archiver.create_cmd",
      fmt::format("Creating archive \"{}\" in repository {}", request.name, session.location()));
  ArchiveObserver observer(context, options.filter);
  auto result = ops::create(*session.repository, *session.pool, request, observer);
  observer.finish();
  if (!result) return std::unexpected<Error>(std::move(result).error());
  if (options.json) {
    write_statistics_json(*result, session, options, observer.problems(), context);
  } else if (options.stats && options.dry_run) {
    log(Level::Info, "borg.output.stats", fmt::format("Number of files: {}", result->totals.files));
    log(Level::Info, "borg.output.stats",
        fmt::format("Original size: {}",
                    format_size(static_cast<std::int64_t>(result->totals.original_size), {.units = context.units})));
  } else if (options.stats) {
    log_archive_statistics(*result, session.location(), context.units);
    log_store_statistics(*session.statistics, context.units);
  }
  if (context.progress.enabled() && !options.dry_run) {
    MessageProgress saving(context.progress, "cache.close");
    for (const char* step : {"Saving files cache", "Saving index", "Saving cache config"}) saving.show(step);
    saving.finish();
  }
  return session.repository->close();
}

}  // namespace cairn::cli
