#include "cli/phase_progress.h"

#include <utility>

namespace cairn::cli {

void PhaseProgress::show(const PercentKind& kind, std::uint64_t done, std::uint64_t total) {
  if (!output_.enabled()) return;
  if (!percent_ || kind_ != &kind) {
    if (percent_) percent_->finish();
    kind_ = &kind;
    shown_ = 0;
    percent_.emplace(output_, kind, total);
  }
  if (done > shown_) percent_->advance(done - std::exchange(shown_, done));
  if (done == total) {
    percent_->finish();
    percent_.reset();
  }
}

}  // namespace cairn::cli
