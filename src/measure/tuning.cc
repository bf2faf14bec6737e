#include "measure/tuning.h"

#include "measure/memory_verdict.h"

namespace cairn::measure {

double typical_noise(const ThresholdSearch& search) {
  std::vector<double> noise;
  for (const Blake3Point& point : search.points) noise.push_back(point.noise);
  return noise.empty() ? 0 : median(std::move(noise));
}

bool was_busy(const Tuning& tuning) { return tuning.load > tuning.machine.cpus_available / 2.0; }

Settings recommended(const Tuning& tuning) {
  Settings settings;
  if (!tuning.complete || was_busy(tuning)) return settings;
  if (!tuning.blake3.points.empty() && typical_noise(tuning.blake3) <= kMostNoise) {
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
