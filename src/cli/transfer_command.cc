// transfer: archives of another repository.
#include "cli/transfer_command.h"

#include <optional>
#include <set>

#include <fmt/format.h>

#include "archive/placeholders.h"
#include "archive/time.h"
#include "base/env.h"
#include "base/units.h"
#include "cli/methods.h"
#include "cli/problem_summary.h"
#include "cli/session.h"
#include "cli/signals.h"
#include "ops/archives.h"
#include "ops/id_checks.h"
#include "ops/transfer.h"

namespace cairn::cli {
namespace {

// As Python's isoformat(): a fraction only if there is one.
std::string iso_text(Nanoseconds time) {
  std::string text = archive::iso_utc(time);
  constexpr std::string_view kNoFraction = ".000000";
  if (const auto at = text.find(kNoFraction); at != std::string::npos) text.erase(at, kNoFraction.size());
  return text;
}

class Observer final : public ops::TransferObserver {
 public:
  Observer(Context& context, bool dry_run) : context_(context), dry_run_(dry_run) {}

  void is_present(const archive::ArchiveSummary& archive) override {
    line(fmt::format("{} {}: archive is already present in destination repo, skipping.", archive.name,
                     iso_text(archive.time)));
  }
  void begins(const archive::ArchiveSummary& archive) override {
    line(named(archive) + ": copying archive to destination repo...");
    told_.clear();
    if (context_.progress.enabled())
      progress_.emplace(context_.progress, ArchiveTotal{.size = archive.size, .nfiles = archive.nfiles});
  }
  void ends(const archive::ArchiveSummary& archive, const ops::TransferCount& count) override {
    finish_progress();
    if (dry_run_ && count.transferred == 0) {
      line(named(archive) + ": completed");
      return;
    }
    line(fmt::format("{}: {} transfer_size: {} present_size: {}", named(archive),
                     dry_run_ ? "incomplete," : "finished.", size(count.transferred), size(count.present)));
  }
  void warning(const std::string& path, const Error& error) override {
    log_warning(error);
    if (told_.insert(path).second) problems_.add(path, error);
  }
  void progress(const ops::CreateProgress& now) override {
    if (!progress_ || !progress_->due()) return;
    progress_->show({.original_size = now.original_size,
                     .deduplicated_size = now.deduplicated_size,
                     .nfiles = now.files,
                     .path = now.path});
  }
  void finish() {
    finish_progress();
    problems_.show(context_);
  }

 private:
  void finish_progress() {
    if (progress_) progress_->finish();
    progress_.reset();
  }
  static std::string named(const archive::ArchiveSummary& archive) {
    return fmt::format("{} {} {}", archive.name, iso_text(archive.time), archive.id.hex());
  }
  std::string size(std::uint64_t bytes) const {
    return format_size(static_cast<std::int64_t>(bytes), {.units = context_.units});
  }
  void line(const std::string& text) {
    context_.output.write(context_.output.out_text(text) + "\n");
    (void)context_.output.flush();  // a copy may take long; the end reports what cannot be written
  }

  Context& context_;
  const bool dry_run_;
  std::optional<ArchiveProgress> progress_;
  std::set<std::string> told_;  // of this archive: there is a warning for each chunk
  ProblemSummary problems_;
};

Result<std::unique_ptr<repo::Repository>> open_other(const std::string& option, Context& context,
                                                     std::shared_ptr<store::StoreStatistics> statistics) {
  const std::string text = option.empty() ? env("BORG_OTHER_REPO").value_or("") : option;
  if (text.empty()) {
    return fail(Code::Command, "missing other repository, please use --other-repo or BORG_OTHER_REPO env var!");
  }
  CAIRN_TRY(const std::string plain, archive::replace_placeholders(text, {.now = system_clock().now()}));
  CAIRN_TRY(const store::Location location, store::parse_location(plain));
  CAIRN_TRY(auto store, session_store(location, std::move(statistics)));
  repo::Access access = session_access(context, location);
  access.group = crypt::PassphraseGroup::Other;
  const Nanoseconds wait = context.common.lock_wait < 0 ? Nanoseconds{1} << 62U : context.common.lock_wait * kSecond;
  return repo::Repository::open(std::move(store), access, {.lock = repo::LockMode::Exclusive, .lock_wait = wait});
}

}  // namespace

Status run_transfer(const TransferOptions& options, Context& context) {
  if (options.from_borg1) {
    return fail(Code::Error, "archives of borg 1.x repositories can not be transferred, that is not there yet.");
  }
  if (options.upgrader != "NoOp") return fail(Code::Error, "the upgrader From12To20 is for borg 1.x repositories.");
  CAIRN_TRY(const ops::IdChecks checks, ops::id_checks_from_environment());
  auto statistics = std::make_shared<store::StoreStatistics>();
  CAIRN_TRY(Session session, open_session(context, repo::LockMode::Shared));
  CAIRN_TRY(const auto other, open_other(options.other_repo, context, statistics));

  ops::TransferRequest request;
  request.dry_run = options.dry_run;
  request.recompress = options.recompress == "always";
  CAIRN_TRY(request.compression, choose_compression(options.compression, *session.repository));
  if (options.chunker_params) {
    CAIRN_TRY(request.rechunk, choose_chunker(options.chunker_params, *session.repository));
  }
  request.check_ids = request.rechunk ? checks.rechunk : checks.transfer;
  request.want_progress = context.progress.enabled();
  request.interrupted = &interrupted();

  CAIRN_CHECKED(other->load_index(repo::BadFragments::Salvage, *session.pool));
  CAIRN_TRY(auto archives, ops::load_archives(*other, *session.pool));
  CAIRN_TRY(const archive::Selection selection, archive_selection("", options.filters));
  CAIRN_TRY(archives, archive::select(std::move(archives), selection));
  Observer observer(context, options.dry_run);
  auto status = ops::transfer(*other, *session.repository, *session.pool, archives, request, observer);
  observer.finish();
  if (!status) return status;
  if (context.progress.enabled()) {
    MessageProgress saving(context.progress, "cache.close");
    for (const char* step : {"Saving index", "Saving cache config"}) saving.show(step);
    saving.finish();
  }
  CAIRN_CHECKED(other->close());
  return session.repository->close();
}

}  // namespace cairn::cli
