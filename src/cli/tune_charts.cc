#include "cli/tune_charts.h"

#include <algorithm>

#include <fmt/format.h>

#include "cli/tune_report.h"
#include "measure/memory_verdict.h"

namespace cairn::cli {
namespace {

using measure::Blake3Point;
using measure::Tuning;

std::string subtitle(const Tuning& tuning) { return tuning.machine.text(); }

chart::BarChart blake3_chart(const Tuning& tuning) {
  const auto& points = tuning.blake3.points;
  const double least = std::ranges::min(points, {}, &Blake3Point::ratio).ratio;
  const double most = std::ranges::max(points, {}, &Blake3Point::ratio).ratio;
  const auto threshold = tuning.blake3.threshold_kib;
  const std::string verdict =
      threshold ? fmt::format("threshold {} KiB", *threshold) : std::string("threads never win for good");
  chart::BarChart chart{.heading = {.title = "BLAKE3: what splitting a chunk over threads gains",
                                    .subtitle = subtitle(tuning),
                                    .caption = tune_caption(tuning) + " Red: slower than on one thread.",
                                    .description = fmt::format("Speed-up of BLAKE3 by input size; {}", verdict)},
                        .group_title = "input size (KiB)",
                        .value = {.title = fmt::format("speed-up with {} threads (times)", tuning.threads),
                                  .scale = chart::Scale::Log2,
                                  .from = std::min(0.5, 0.85 * least),
                                  .to = std::max(2.0, 1.1 * most)},
                        .series = {"speed-up"},
                        .most_labels = 16};
  for (const Blake3Point& point : points) {
    const bool wins = point.ratio >= tuning.margin;
    if (threshold && point.kib == *threshold) chart.boundary = {.before = chart.groups.size(), .label = verdict};
    chart.groups.push_back({std::to_string(point.kib),
                            {chart::Bar{point.ratio, wins ? chart::Tone::Good : chart::Tone::Bad,
                                        fmt::format("{} KiB: {:.2f}x ({:.0f} and {:.0f} MiB/s)", point.kib, point.ratio,
                                                    point.single, point.many)}}});
  }
  chart.value_guides.push_back({.at = 1, .plain = true});
  return chart;
}

chart::Line memory_line(const char* name, const std::vector<measure::MemoryPoint>& points) {
  chart::Line line{.name = name};
  for (const measure::MemoryPoint& point : points) {
    if (point.runs.empty()) continue;
    const auto [least, most] = std::ranges::minmax(point.runs);
    const double rate = measure::median(point.runs);
    line.points.push_back({.x = static_cast<double>(point.threads),
                           .y = rate,
                           .spread = chart::Spread{least, most},
                           .hint = fmt::format("{}, {} threads: {:.1f} GiB/s ({:.1f} to {:.1f})", name, point.threads,
                                               rate, least, most)});
  }
  return line;
}

chart::LineChart memory_chart(const Tuning& tuning) {
  chart::LineChart chart{
      .heading = {.title = "Memory: what threads move together",
                  .subtitle = subtitle(tuning),
                  .caption = tune_caption(tuning) + " Whiskers: from the slowest to the fastest run."},
      .x = {.title = "threads", .whole = true},
      .y = {.title = "GiB/s of all threads together"},
      .lines = {memory_line("set", tuning.memory.set), memory_line("copy", tuning.memory.copy),
                memory_line("hash", tuning.memory.hash)}};
  if (const auto verdict = measure::judge(tuning.memory)) {
    chart.heading.caption += " " + verdict->reason;
    chart.x_guides.push_back({.at = static_cast<double>(verdict->knee),
                              .label = fmt::format("knee {}{}", verdict->knee, verdict->sure ? "" : " (not sure)")});
  }
  return chart;
}

chart::BarChart kernels_chart(const Tuning& tuning) {
  chart::BarChart chart{.heading = {.title = "Chunkers by kernel",
                                    .subtitle = subtitle(tuning),
                                    .caption = tune_caption(tuning) + " Cuts do not depend on the kernel."},
                        .value = {.title = "MiB/s on one thread"},
                        .direction = chart::Direction::Lying};
  for (const measure::ChunkerKernels& chunker : tuning.kernels) {
    for (const measure::KernelRate& rate : chunker.rates) {
      if (std::ranges::find(chart.series, rate.name) == chart.series.end()) chart.series.push_back(rate.name);
    }
  }
  for (const measure::ChunkerKernels& chunker : tuning.kernels) {
    chart::BarGroup group{.name = chunker.params};
    group.bars.resize(chart.series.size());
    for (const measure::KernelRate& rate : chunker.rates) {
      if (rate.runs.empty()) continue;
      const auto place = std::ranges::find(chart.series, rate.name) - chart.series.begin();
      group.bars[static_cast<std::size_t>(place)] = chart::Bar{.value = measure::median(rate.runs)};
    }
    chart.groups.push_back(std::move(group));
  }
  return chart;
}

chart::BarChart readers_chart(const Tuning& tuning) {
  const measure::ReaderSpeed& readers = *tuning.readers;
  chart::BarChart chart{.heading = {.title = "Readers: files read at once",
                                    .subtitle = fmt::format("{} - {}", readers.directory, subtitle(tuning)),
                                    .caption = tune_caption(tuning)},
                        .group_title = "readers",
                        .value = {.title = "MiB/s of all readers together"},
                        .series = {"readers"}};
  if (!readers.is_meaningful()) chart.heading.caption += " The files were in memory: this says little about the disk.";
  for (const measure::ReaderPoint& point : readers.points) {
    if (point.runs.empty()) continue;
    chart.groups.push_back({std::to_string(point.readers), {chart::Bar{.value = measure::median(point.runs)}}});
  }
  return chart;
}

}  // namespace

std::vector<chart::Chart> tune_charts(const Tuning& tuning) {
  std::vector<chart::Chart> charts;
  if (!tuning.blake3.points.empty()) charts.emplace_back(blake3_chart(tuning));
  if (!tuning.memory.set.empty()) charts.emplace_back(memory_chart(tuning));
  if (!tuning.kernels.empty()) charts.emplace_back(kernels_chart(tuning));
  if (tuning.readers) charts.emplace_back(readers_chart(tuning));
  return charts;
}

}  // namespace cairn::cli
