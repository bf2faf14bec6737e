#include "measure/threshold_search.h"

#include <algorithm>
#include <cstdint>
#include <set>

namespace cairn::measure {
namespace {

constexpr int kRounds = 8;
constexpr int kAgainFactor = 3;

void insert(std::vector<Blake3Point>& points, const Blake3Point& point) {
  const auto at = std::ranges::lower_bound(points, point.kib, {}, &Blake3Point::kib);
  if (at != points.end() && at->kib == point.kib)
    *at = point;
  else
    points.insert(at, point);
}

// The largest losing size below the candidate, or of all: what the threshold hangs on.
const Blake3Point* blocker_of(std::span<const Blake3Point> points, std::optional<unsigned> candidate, double margin) {
  const Blake3Point* blocker = nullptr;
  for (const Blake3Point& point : points) {
    if ((!candidate || point.kib < *candidate) && point.ratio < margin) blocker = &point;
  }
  return blocker;
}

}  // namespace

std::vector<unsigned> threshold_ladder(Effort effort) {
  switch (effort) {
    case Effort::Quick:
      return {8, 48, 96, 144, 192, 240, 256, 384, 496, 512, 768, 1008, 1024, 1536, 2048};
    case Effort::Balanced:
      return {4,   8,   12,  16,  24,  32,   48,   64,   80,   96,   112,  128,  144,  160, 176, 192,
              208, 224, 240, 256, 288, 320,  352,  368,  384,  416,  448,  480,  496,  512, 576, 640,
              704, 768, 832, 896, 960, 1008, 1024, 1280, 1536, 1792, 2032, 2048, 3072, 4096};
    case Effort::Thorough:
      break;
  }
  std::vector<unsigned> ladder = {4, 8, 12, 16, 24, 32, 48, 64, 80, 96, 112};
  for (unsigned kib = 128; kib <= 2048; kib += 16) ladder.push_back(kib);
  return ladder;
}

std::optional<unsigned> threshold_of(std::span<const Blake3Point> points, double margin) {
  std::optional<unsigned> found;
  for (std::size_t i = points.size(); i-- > 0 && points[i].ratio >= margin;) found = points[i].kib;
  return found;
}

std::vector<unsigned> sizes_to_probe(std::span<const Blake3Point> points, unsigned candidate, unsigned largest) {
  std::set<unsigned> sizes;
  const auto consider = [&](std::int64_t kib) {
    if (kib < candidate || kib > largest) return;
    const auto size = static_cast<unsigned>(kib);
    if (std::ranges::find(points, size, &Blake3Point::kib) == points.end()) sizes.insert(size);
  };
  for (std::int64_t power = 1; power <= std::int64_t{largest} * 2; power *= 2) {
    for (const std::int64_t below : {16, 48, 112}) consider(power - below);
    for (const std::int64_t quarters : {5, 6, 7}) consider(power * quarters / 4);
  }
  return {sizes.begin(), sizes.end()};
}

Status search_threshold(const ThresholdSettings& settings, const MeasureSize& measure, ThresholdWatch& watch,
                        ThresholdSearch& found) {
  found = {};
  const auto look_again = [&] { found.threshold_kib = threshold_of(found.points, settings.margin); };
  for (const unsigned kib : settings.ladder) {
    CAIRN_TRY(const Blake3Point point, measure(kib, settings.runs));
    insert(found.points, point);
    look_again();
    watch.measured(point);
  }
  if (settings.ladder.empty()) return {};
  const unsigned largest = settings.ladder.back();

  std::set<unsigned> again;
  for (int round = 0; round < kRounds; ++round) {
    bool changed = false;
    if (const std::optional<unsigned> candidate = found.threshold_kib) {
      const std::vector<unsigned> probes = sizes_to_probe(found.points, *candidate, largest);
      if (!probes.empty()) watch.verifying(*candidate, probes.size());
      for (const unsigned kib : probes) {
        CAIRN_TRY(const Blake3Point point, measure(kib, settings.runs));
        insert(found.points, point);
        look_again();
        watch.probed(point, *candidate);
        changed = true;
      }
    }
    const Blake3Point* const blocker = blocker_of(found.points, found.threshold_kib, settings.margin);
    if (blocker != nullptr && again.insert(blocker->kib).second) {
      const Blake3Point before = *blocker;
      const int runs = settings.runs * kAgainFactor;
      watch.measuring_again(before, runs);
      CAIRN_TRY(const Blake3Point now, measure(before.kib, runs));
      insert(found.points, now);
      look_again();
      watch.measured_again(before, now);
      changed = true;
    }
    if (!changed) break;
  }
  return {};
}

}  // namespace cairn::measure
