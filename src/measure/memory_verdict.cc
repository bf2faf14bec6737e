#include "measure/memory_verdict.h"

#include <algorithm>

#include <fmt/format.h>

namespace cairn::measure {
namespace {

constexpr double kEnough = 0.95;
constexpr double kMostSpread = 0.15;

double median_rate(const MemoryPoint& point) { return median(point.runs); }

std::size_t whole_runs(const std::vector<MemoryPoint>& points) {
  if (points.empty()) return 0;
  return std::ranges::min(points, {}, [](const MemoryPoint& point) { return point.runs.size(); }).runs.size();
}

double typical_spread(const MemorySpeed& speed) {
  std::vector<double> spreads;
  for (const auto* points : {&speed.set, &speed.copy}) {
    for (const MemoryPoint& point : *points) {
      const auto [least, most] = std::ranges::minmax(point.runs);
      spreads.push_back(most > 0 ? (most - least) / most : 0);
    }
  }
  return median(std::move(spreads));
}

}  // namespace

unsigned knee_of(const std::vector<MemoryPoint>& points, const std::function<double(const MemoryPoint&)>& rate) {
  double best = 0;
  for (const MemoryPoint& point : points) best = std::max(best, rate(point));
  for (const MemoryPoint& point : points) {
    if (rate(point) >= best * kEnough) return point.threads;
  }
  return 1;
}

std::optional<MemoryVerdict> judge(const MemorySpeed& speed) {
  const std::size_t runs = std::min(whole_runs(speed.set), whole_runs(speed.copy));
  if (runs == 0 || speed.set.size() != speed.copy.size()) return std::nullopt;
  MemoryVerdict verdict;
  verdict.knee = std::max(knee_of(speed.set, median_rate), knee_of(speed.copy, median_rate));
  verdict.spread = typical_spread(speed);

  unsigned least = verdict.knee;
  unsigned most = verdict.knee;
  for (std::size_t run = 0; run < runs; ++run) {
    const auto of_run = [run](const MemoryPoint& point) { return point.runs[run]; };
    const unsigned knee = std::max(knee_of(speed.set, of_run), knee_of(speed.copy, of_run));
    least = std::min(least, knee);
    most = std::max(most, knee);
  }
  const bool same_knee = most - least <= std::max(1U, verdict.knee / 4);
  const unsigned threads = speed.set.back().threads;
  if (runs < 2) {
    verdict.reason = "One run cannot be compared with another: the cap stays at 8.";
  } else if (!same_knee) {
    verdict.reason = fmt::format(
        "The runs disagree about the knee ({} to {} threads): the measurement is not reliable, the cap stays at 8.",
        least, most);
  } else if (verdict.spread > kMostSpread) {
    verdict.reason = fmt::format("The runs differ by {:.0f} %: the measurement is not reliable, the cap stays at 8.",
                                 verdict.spread * 100);
  } else {
    verdict.sure = true;
    if (threads <= kDefaultMemoryCap) {
      verdict.reason =
          fmt::format("With {} thread{} the cap of 8 holds nothing back.", threads, threads == 1 ? "" : "s");
    } else if (verdict.knee * 10 >= threads * 9) {  // 95 % of the best rate comes a little before the last thread
      verdict.cap = threads;
      verdict.reason = "Memory keeps up with all threads: nothing needs to be held back.";
    } else {
      verdict.cap = std::max(2U, verdict.knee);
      verdict.reason = fmt::format("{} threads get at least 95 % of what memory delivers.", verdict.knee);
    }
  }
  return verdict;
}

}  // namespace cairn::measure
