// recreate: archives written anew.
#include "cli/recreate_command.h"

#include <fmt/format.h>

#include "archive/placeholders.h"
#include "archive/time.h"
#include "cli/archive_observer.h"
#include "cli/archive_statistics.h"
#include "cli/methods.h"
#include "cli/session.h"
#include "cli/signals.h"
#include "ops/id_checks.h"
#include "ops/recreate.h"

namespace cairn::cli {
namespace {

constexpr std::string_view kLogger = "borg.archiver.recreate_cmd";
// Left behind by old versions of Borg whose recreate was interrupted.
constexpr std::string_view kUnfinished = ".recreate";

Result<ops::RecreateRequest> make_request(const RecreateOptions& options, Context& context,
                                          const match::Matcher& matcher) {
  ops::RecreateRequest request;
  archive::PlaceholderContext placeholders{.now = system_clock().now()};
  if (options.timestamp) {
    CAIRN_TRY(request.timestamp, archive::parse_timestamp_option(*options.timestamp));
    placeholders.now = request.timestamp->time;
  }
  if (options.target) {
    CAIRN_TRY(request.target, archive::replace_placeholders(*options.target, placeholders));
  }
  if (options.comment) {
    CAIRN_TRY(request.comment, archive::replace_placeholders(*options.comment, placeholders));
  }
  CAIRN_TRY(const ops::IdChecks checks, ops::id_checks_from_environment());
  request.check_ids = checks.rechunk;
  request.matcher = &matcher;
  request.exclude_caches = options.tag_files.exclude_caches;
  request.exclude_if_present = options.tag_files.exclude_if_present;
  request.keep_exclude_tags = options.tag_files.keep_exclude_tags;
  request.any_patterns = !matcher.empty() || request.exclude_caches || !request.exclude_if_present.empty();
  request.dry_run = options.dry_run;
  request.command_line = joined_command_line(context.words);
  request.want_status = options.list;
  request.interrupted = &interrupted();
  return request;
}

}  // namespace

Status run_recreate(const RecreateOptions& options, Context& context) {
  context.log.enable(options.list, false);
  CAIRN_TRY(const match::Matcher matcher, build_matcher(options.patterns, options.paths));
  CAIRN_TRY(ops::RecreateRequest request, make_request(options, context, matcher));
  CAIRN_TRY(Session session, open_session(context, repo::LockMode::Shared));
  repo::Repository& repository = *session.repository;
  CAIRN_TRY(request.compression, choose_compression(options.compression, repository));
  if (options.chunker_params) {
    CAIRN_TRY(request.chunker, choose_chunker(options.chunker_params, repository));
  }
  CAIRN_CHECKED(repository.load_index(repo::BadFragments::Error, *session.pool));
  if (!options.dry_run) CAIRN_CHECKED(repository.forget_missing_packs());
  CAIRN_TRY(const auto archives, find_archives(session, "", options.filters));
  for (const archive::ArchiveSummary& archive : archives) {
    if (interrupted()) return fail(Code::Interrupted, "Got Ctrl-C / SIGINT.");
    if (archive.is_protected() || archive.name.ends_with(kUnfinished)) continue;
    context.output.write(context.output.out_text(fmt::format("Processing {} {}", archive.name, archive.id.hex())) +
                         "\n");
    CAIRN_CHECKED(context.output.flush());
    ArchiveObserver observer(context, options.filter, {.size = archive.size, .nfiles = archive.nfiles});
    auto result = ops::recreate(repository, *session.pool, archive, request, observer);
    if (!result || *result) observer.finish();
    if (!result) return std::unexpected<Error>(std::move(result).error());
    if (!*result) {
      log(Level::Info, kLogger, fmt::format("Skipped archive {} {}: Nothing to do.", archive.name, archive.id.hex()));
      continue;
    }
    if (options.stats && !options.dry_run) {
      log_archive_statistics(**result, session.location(), context.units, kLogger);
    }
  }
  if (!options.dry_run) {
    if (auto status = repository.fragments().repack(); !status) {
      log(Level::Warning, "borg.repository", fmt::format("Merging small index fragments: {}", status.error().text()));
    }
  }
  if (context.progress.enabled()) {
    MessageProgress saving(context.progress, "cache.close");
    saving.show("Saving cache config");
    saving.finish();
  }
  return repository.close();
}

}  // namespace cairn::cli
