// compact: frees what no archive needs any more.
#include "cli/compact_command.h"

#include "cli/phase_progress.h"
#include "cli/session.h"
#include "cli/signals.h"
#include "ops/compact.h"
#include "repo/pack_writer.h"

namespace cairn::cli {
namespace {

class Observer final : public ops::CompactObserver {
 public:
  explicit Observer(Context& context) : phases_(context.progress) {}
  void progress(Phase phase, std::uint64_t done, std::uint64_t total) override {
    phases_.show(phase == Phase::Archives ? kCompactAnalyzePercent : kCompactPacksPercent, done, total);
  }

 private:
  PhaseProgress phases_;
};

}  // namespace

Status run_compact(const CompactOptions& options, Context& context) {
  CAIRN_TRY(const repo::PackLimits limits, repo::pack_limits_from_environment(1));
  CAIRN_TRY(Session session, open_session(context, repo::LockMode::Exclusive));
  ops::CompactRequest request;
  request.dry_run = options.dry_run;
  request.stats = options.stats;
  request.threshold = static_cast<std::uint64_t>(options.threshold);
  request.pack_max_size = limits.max_size;
  request.interrupted = &interrupted();
  Observer observer(context);
  CAIRN_TRY(const ops::CompactResult result, ops::compact(*session.repository, *session.pool, request, observer));
  if (result.errors) {
    context.exit.note(2);
  } else if (result.warnings) {
    context.exit.note(1);
  }
  return session.repository->close();
}

}  // namespace cairn::cli
