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
constexpr std::string_view kRepairQuestion =
    "This is a potentially dangerous function.\n"
    "check --repair might lead to data loss (for kinds of corruption it is not\n"
    "capable of dealing with). BE VERY CAREFUL!\n"
    "\n"
    "Type 'YES' if you understand this and want to continue: ";

class Observer final : public ops::CheckObserver {
 public:
  explicit Observer(Context& context) : phases_(context.progress) {}
  void progress(Phase phase, std::uint64_t done, std::uint64_t total) override {
    switch (phase) {
      case Phase::Index:
        return phases_.show(kCheckIndexPercent, done, total);
      case Phase::Packs:
        return phases_.show(kCheckPacksPercent, done, total);
      case Phase::Survey:
        return phases_.show(kBuildIndexPercent, done, total);
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
  CAIRN_TRY(const ops::IdChecks checks, ops::id_checks_from_environment());
  CAIRN_TRY(const ArchiveFormat format, ArchiveFormat::compile(options.format.value_or(
                                            env_nonempty("BORG_CHECK_FORMAT").value_or(std::string(kDefaultFormat)))));
  ops::CheckRequest request;
  request.repository = !options.archives_only;
  request.archives = !options.repository_only;
  request.verify_data = options.verify_data;
  request.repair = options.repair;
  request.verify_saved_ids = checks.repair;
  request.find_lost_archives = options.find_lost_archives;
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
  if (options.repair && !context.prompts.ask({.variable = "BORG_CHECK_I_KNOW_WHAT_I_AM_DOING",
                                              .text = std::string(kRepairQuestion),
                                              .only_capital_yes = true})) {
    return fail(Code::Cancelled, "");
  }
  if (options.repository_only && options.archives_only) return session.repository->close();
  Observer observer(context);
  CAIRN_TRY(const ops::CheckResult result, ops::check(*session.repository, *session.pool, request, observer));
  if (result.problems) context.exit.note(1);
  return session.repository->close();
}

}  // namespace cairn::cli
