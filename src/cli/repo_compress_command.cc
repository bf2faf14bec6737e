// repo-compress: another compression for all that a repository has.
#include "cli/repo_compress_command.h"

#include <fmt/format.h>

#include "base/units.h"
#include "cli/methods.h"
#include "cli/phase_progress.h"
#include "cli/session.h"
#include "cli/signals.h"
#include "repo/compact.h"
#include "repo/pack_writer.h"
#include "repo/recompress.h"

namespace cairn::cli {
namespace {

void log_statistics(const repo::RecompressReport& report, Units units) {
  auto line = [](const std::string& text) { log(Level::Info, "borg.output.stats", text); };
  auto size = [&](std::uint64_t bytes) { return format_size(static_cast<std::int64_t>(bytes), {.units = units}); };
  const bool grew = report.size_after > report.size_before;
  line("Recompression stats:");
  line(fmt::format("Packs: {} total, {} rewritten.", report.packs, report.rewritten));
  line(
      fmt::format("Objects: {} total, {} recompressed, {} already had the desired compression, {} kept as-is "
                  "(recompression brings no gain).",
                  report.objects, report.recompressed, report.already, report.kept));
  line(fmt::format("Repository size: {} before, {} after, {} by {}.", size(report.size_before), size(report.size_after),
                   grew ? "grew" : "shrunk",
                   size(grew ? report.size_after - report.size_before : report.size_before - report.size_after)));
}

}  // namespace

Status run_repo_compress(const RepoCompressOptions& options, Context& context) {
  context.log.enable(false, options.stats);
  CAIRN_TRY(const repo::PackLimits limits, repo::pack_limits_from_environment(1));
  CAIRN_TRY(Session session, open_session(context, repo::LockMode::Exclusive));
  repo::Repository& repository = *session.repository;
  repo::RecompressOptions request;
  CAIRN_TRY(request.spec, choose_compression(options.compression, repository));
  CAIRN_CHECKED(repo::check_compact_permissions(repository.store()));
  request.pack_max_size = limits.max_size;
  request.interrupted = &interrupted();
  PhaseProgress phases(context.progress);
  request.progress = [&](std::uint64_t done, std::uint64_t total) { phases.show(kRecompressPercent, done, total); };
  log(Level::Info, "borg.archiver.repo_compress_cmd",
      fmt::format("Recompressing repository to {}...", request.spec.text()));
  CAIRN_CHECKED(repository.load_index(repo::BadFragments::Rebuild, *session.pool));
  CAIRN_TRY(const repo::RecompressReport report, repo::recompress_packs(repository, *session.pool, request));
  if (options.stats) log_statistics(report, context.units);
  if (report.warnings) context.exit.note(1);
  if (report.interrupted) return fail(Code::Interrupted, "Got Ctrl-C / SIGINT.");
  return repository.close();
}

}  // namespace cairn::cli
