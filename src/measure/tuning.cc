#include "measure/tuning.h"

#include "measure/memory_verdict.h"

namespace cairn::measure {

Settings recommended(const Tuning& tuning) {
  Settings settings;
  if (!tuning.complete) return settings;
  if (!tuning.blake3.points.empty()) {
    settings.blake3_threshold =
        tuning.blake3.threshold_kib ? std::size_t{*tuning.blake3.threshold_kib} * 1024 : Settings::kNever;
  }
  if (const auto verdict = judge(tuning.memory); verdict && verdict->sure) settings.memory_threads = verdict->cap;
  for (const ChunkerKernels& chunker : tuning.kernels) {
    const std::string best = chunker.best();
    if (!best.empty() && best != chunker.usual) settings.kernels[chunker.chunker] = best;
  }
  if (tuning.readers && tuning.readers->is_meaningful()) settings.readers = tuning.readers->limit();
  return settings;
}

}  // namespace cairn::measure
