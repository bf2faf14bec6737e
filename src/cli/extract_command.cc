// extract: an archive into the current directory, to standard output, or nowhere.
#include "cli/extract_command.h"

#include <optional>

#include <fmt/format.h>

#include "cli/extraction_target.h"
#include "cli/problem_summary.h"
#include "cli/session.h"
#include "cli/signals.h"
#include "cli/store_report.h"
#include "ops/archives.h"
#include "ops/extract.h"
#include "ops/id_checks.h"

namespace cairn::cli {
namespace {

class Observer final : public ops::ExtractObserver {
 public:
  Observer(Context& context) : context_(context) {
    if (context.progress.enabled()) {
      percent_.emplace(context.progress, kExtractPercent);
      percent_->announce(
          "Calculating total archive size for the progress indicator (might take a long time for large archives)");
    }
  }
  void listed(char what, const std::string& path) override {
    log(Level::Info, "borg.output.list", fmt::format("{} {}", what, path));
  }
  void removed(const std::string& path) override { listed('D', path); }
  void warning(const std::string& path, const Error& error) override {
    log_warning(error);
    problems_.add(path, error);
  }
  void incomplete() override { context_.exit.note(1); }
  Status write(Bytes bytes) override {
    context_.output.write_bytes(bytes);
    return {};
  }
  void total(std::uint64_t bytes) override {
    if (percent_) percent_->set_total(bytes);
  }
  void progress(std::uint64_t bytes, const std::string& path) override {
    if (percent_) percent_->advance(bytes, path);
  }
  void directories(std::uint64_t count) override {
    if (!percent_) return;
    percent_->finish();
    percent_.emplace(context_.progress, kPermissionsPercent, count);
  }
  void directory_done() override {
    if (percent_) percent_->advance();
  }
  // Without directories to finish, as in a dry run, Borg ends the same indicator twice.
  void finish(bool without_directories) {
    if (percent_) {
      percent_->finish();
      if (without_directories) percent_->finish();
    }
    problems_.show(context_);
  }

 private:
  Context& context_;
  std::optional<PercentProgress> percent_;
  ProblemSummary problems_;
};

// Before the repository is opened: what cannot be written to is told at once. A dry run into the working directory
// says what is in the archive, whatever is there.
Status check_target(const ExtractOptions& options) {
  if (options.to_stdout) return {};
  const bool may_replace = options.overwrite || (options.continue_extraction && !options.remove_others);
  if (!options.target) return options.dry_run || may_replace ? Status() : require_empty_working_directory();
  if (may_replace) return {};
  return require_empty_target(*options.target,
                              options.remove_others
                                  ? "--delete removes what is in it only together with --overwrite."
                                  : "Use --overwrite to replace what differs from the archive, or --continue to go on "
                                    "with an extraction that was interrupted.");
}

}  // namespace

Status run_extract(const ExtractOptions& options, Context& context) {
  CAIRN_CHECKED(check_progress_and_list(context.common, options.list));
  // What a dry run would delete is said in any case.
  context.log.enable(options.list || (options.dry_run && options.remove_others), options.stats);
  CAIRN_TRY(const ops::IdChecks checks, ops::id_checks_from_environment());
  CAIRN_TRY(const match::Matcher matcher, build_matcher(options.patterns, options.paths));
  CAIRN_CHECKED(check_target(options));
  if (options.remove_others) {
    CAIRN_TRY(const store::Location location, repository_location(context));
    CAIRN_CHECKED(require_apart(*options.target, location));
  }
  CAIRN_TRY(Session session, open_session(context, repo::LockMode::Reading));
  CAIRN_TRY(const archive::ArchiveSummary archive, find_archive(session, options.name));
  CAIRN_TRY(const archive::Metadata metadata, ops::load_metadata(*session.repository, archive.id));

  if (options.target && !options.dry_run) CAIRN_CHECKED(make_target(*options.target));

  Observer observer(context);
  ops::ExtractRequest request{.target = options.target.value_or("."), .matcher = &matcher};
  request.strip_components = static_cast<std::size_t>(options.strip_components);
  request.dry_run = options.dry_run;
  request.to_stream = options.to_stdout;
  request.sparse = options.sparse;
  request.update_existing = options.continue_extraction || options.overwrite;
  request.check_content = options.check_content;
  // Where nothing may be replaced there is nothing.
  request.remove_others = options.remove_others && options.overwrite;
  request.numeric_ids = options.numeric_ids;
  request.set_flags = !options.noflags;
  request.set_acls = !options.noacls;
  request.set_xattrs = !options.noxattrs;
  request.verify = checks.read ? repo::Verify::Id : repo::Verify::Envelope;
  request.want_list = options.list;
  request.want_progress = context.progress.enabled();
  request.interrupted = &interrupted();
  auto status = ops::extract(*session.repository, *session.pool, metadata, request, observer);
  observer.finish(options.dry_run || options.to_stdout);
  if (!status) return status;
  warn_unmatched_paths(matcher);
  if (options.stats) log_store_statistics(*session.statistics, context.units);
  return session.repository->close();
}

}  // namespace cairn::cli
