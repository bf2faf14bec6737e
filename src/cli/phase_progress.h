// Percentages of a command that works in phases: one indicator after the other, fed with totals instead of steps.
#pragma once

#include <cstdint>
#include <optional>

#include "cli/progress.h"

namespace cairn::cli {

class PhaseProgress {
 public:
  explicit PhaseProgress(ProgressOutput& output) : output_(output) {}
  // `kind` is one of the constants of progress.h; another one begins the next phase.
  void show(const PercentKind& kind, std::uint64_t done, std::uint64_t total);

 private:
  ProgressOutput& output_;
  const PercentKind* kind_ = nullptr;
  std::optional<PercentProgress> percent_;
  std::uint64_t shown_ = 0;
};

}  // namespace cairn::cli
