// From which input size on BLAKE3 should be split over threads: the smallest size that never loses, nor any above it.
//
// The speed-up is no smooth curve: it peaks at powers of two (the hash is a tree) and decays behind them, and a single
// measurement may be off. So a candidate is probed where it would fail most likely, and the point that decides is
// measured again.
//
// Units     KiB. Ladders are ascending.
// Errors    those of the measuring function end the search; what is known by then stays in the result.
// Source    docs/format (benchmark, section 4.2).
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/error.h"
#include "measure/blake3_speed.h"

namespace cairn::measure {

enum class Effort { Quick, Balanced, Thorough };

// Sizes that do not consist of round numbers only.
std::vector<unsigned> threshold_ladder(Effort effort);

struct ThresholdSearch {
  std::vector<Blake3Point> points{};        // ascending by size
  std::optional<unsigned> threshold_kib{};  // nothing: threads never win for good
};

// The smallest size of `points` (ascending) from which on every ratio is at least `margin`.
std::optional<unsigned> threshold_of(std::span<const Blake3Point> points, double margin);

// Sizes not in `points` that would disprove `candidate` most likely, up to `largest`; ascending.
std::vector<unsigned> sizes_to_probe(std::span<const Blake3Point> points, unsigned candidate, unsigned largest);

using MeasureSize = std::function<Result<Blake3Point>(unsigned kib, int runs)>;

// Told about every step of a search, in order; does nothing by itself.
class ThresholdWatch {
 public:
  virtual ~ThresholdWatch() = default;
  virtual void measured(const Blake3Point& /*point*/) {}  // of the ladder
  virtual void verifying(unsigned /*candidate*/, std::size_t /*sizes*/) {}
  virtual void probed(const Blake3Point& /*point*/, unsigned /*candidate*/) {}
  virtual void measuring_again(const Blake3Point& /*point*/, int /*runs*/) {}
  virtual void measured_again(const Blake3Point& /*before*/, const Blake3Point& /*now*/) {}
};

struct ThresholdSettings {
  std::vector<unsigned> ladder{};
  double margin = 1.0;
  int runs = 5;
};

Status search_threshold(const ThresholdSettings& settings, const MeasureSize& measure, ThresholdWatch& watch,
                        ThresholdSearch& found);

}  // namespace cairn::measure
