// check: whether the repository's files, and what the archives need, are there and whole.
#include "cli/check_command.h"

#include "archive/time.h"
#include "base/env.h"
#include "cli/archive_format.h"
#include "cli/phase_progress.h"
#include "cli/session.h"
#include "cli/signals.h"
#include "ops/check.h"
#include "ops/id_checks.h"

namespace cairn::cli {
namespace {

constexpr std::string_view kDefaultFormat = "{archive} {time} {id}";

class Observer final : public ops::CheckObserver {
 public:
  explicit Observer(Context& context) : phases_(context.progress) {}
  void progress(Phase phase, std::uint64_t done, std::uint64_t total) override {
    switch (phase) {
      case Phase::Index:
        return phases_.show(kCheckIndexPercent, done, total);
      case Phase::Packs:
        return phases_.show(kCheckPacksPercent, done, total);
      case Phase::VerifyData:
        return phases_.show(kVerifyDataPercent, done, total);
      case Phase::Archives:
        return phases_.show(kCheckArchivesPercent, done, total);
    }
  }

 private:
  PhaseProgress phases_;
};

}  // namespace

Status run_check(const CheckOptions& options, Context& context) {
  if (options.repair || options.find_lost_archives) {
    return fail(Code::Error, "check --repair and --find-lost-archives are not there yet.");
  }
  CAIRN_TRY(const ops::IdChecks checks, ops::id_checks_from_environment());
  (void)checks;
  CAIRN_TRY(const ArchiveFormat format, ArchiveFormat::compile(options.format.value_or(
                                            env_nonempty("BORG_CHECK_FORMAT").value_or(std::string(kDefaultFormat)))));
  ops::CheckRequest request;
  request.repository = !options.archives_only;
  request.archives = !options.repository_only;
  request.verify_data = options.verify_data;
  if (options.max_duration > 0) request.max_duration = options.max_duration * kSecond;
  if (options.max_age) {
    const Nanoseconds now = system_clock().now();
    CAIRN_TRY(const Nanoseconds then, archive::subtract_span(now, *options.max_age));
    request.max_age = now - then;
  }
  CAIRN_TRY(request.selection, archive_selection("", options.filters));
  request.describe = [&format](const archive::ArchiveSummary& archive) {
    return format.render(archive).value_or(archive.name);
  };
  request.interrupted = &interrupted();
  CAIRN_TRY(Session session, open_session(context, repo::LockMode::Exclusive));
  if (options.repository_only && options.archives_only) return session.repository->close();
  Observer observer(context);
  CAIRN_TRY(const ops::CheckResult result, ops::check(*session.repository, *session.pool, request, observer));
  if (result.problems) context.exit.note(1);
  return session.repository->close();
}

}  // namespace cairn::cli
