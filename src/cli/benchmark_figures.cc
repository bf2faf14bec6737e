#include "cli/benchmark_figures.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "chunk/kernel_list.h"
#include "cli/benchmark_text.h"
#include "cli/version.h"
#include "measure/machine.h"
#include "measure/threshold_search.h"

namespace cairn::cli {
namespace {

constexpr double kMbPerMib = 1.048576;
// The sizes of the threshold's ladder, and that of the largest row.
constexpr unsigned kLargestKib = 64 * 1024;

// The rate of a kernel; nothing if it was not measured.
std::optional<double> mb_per_second(const measure::ChunkerKernels& chunker, const std::string& kernel) {
  for (const measure::KernelRate& rate : chunker.rates) {
    if (rate.name == kernel && !rate.runs.empty()) return measure::median(rate.runs) * kMbPerMib;
  }
  return std::nullopt;
}

std::string cpu_name() { return measure::this_machine(kCairnVersion).processor; }

std::string how_many(unsigned count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

}  // namespace

Result<KernelTable> measure_kernel_table(const FigureSettings& settings) {
  KernelTable table{.cpu = cpu_name()};
  const measure::KernelEffort effort{.runs = table.runs, .seconds_per_run = settings.quick ? 0.0 : 0.2};
  CAIRN_CHECKED(measure::measure_kernels(effort, settings.stop, [](std::string_view) {}, table.chunkers));
  for (const measure::ChunkerKernels& chunker : table.chunkers) {
    CAIRN_TRY(const chunk::Params params, chunk::parse_params(chunker.params));
    for (const chunk::KernelChoice& kernel : chunk::kernels_of(params.algorithm)) {
      if (std::ranges::find(table.kernels, kernel.name) == table.kernels.end()) table.kernels.emplace_back(kernel.name);
    }
  }
  return table;
}

std::string KernelTable::text() const {
  std::string out = benchmark_title(fmt::format("Chunker kernels, MB/s ({}, 1 thread, median of {} runs)", cpu, runs));
  out += fmt::format("{:<26}", "");
  for (const std::string& kernel : kernels) out += fmt::format(" {:>10}", kernel);
  out += '\n';
  for (const measure::ChunkerKernels& chunker : chunkers) {
    out += fmt::format("{:<26}", chunker.params);
    for (const std::string& kernel : kernels) {
      const std::optional<double> rate = mb_per_second(chunker, kernel);
      out += fmt::format(" {:>10}", rate ? fmt::format("{:.1f}", *rate) : "-");
    }
    out += '\n';
  }
  return out;
}

nlohmann::json KernelTable::json() const {
  nlohmann::json rows = nlohmann::json::array();
  for (const measure::ChunkerKernels& chunker : chunkers) {
    nlohmann::json rates = nlohmann::json::object();
    for (const std::string& kernel : kernels) {
      const std::optional<double> rate = mb_per_second(chunker, kernel);
      rates[kernel] = rate ? nlohmann::json(*rate) : nlohmann::json(nullptr);
    }
    const std::string parameters = chunker.params.substr(std::min(chunker.params.find(',') + 1, chunker.params.size()));
    rows.push_back({{"algo", chunker.chunker},
                    {"algo_params", parameters},
                    {"default", chunker.usual},
                    {"mb_per_second", std::move(rates)}});
  }
  return {{"cpu", cpu}, {"threads", 1}, {"runs", runs}, {"chunkers", std::move(rows)}};
}

chart::BarChart KernelTable::chart() const {
  chart::BarChart drawn;
  drawn.heading = {.title = "Chunker kernels",
                   .subtitle = fmt::format("{}, 1 thread", cpu),
                   .caption = fmt::format("8 MiB of random bytes, median of {} runs; Cairn {}", runs, kCairnVersion)};
  drawn.value = {.title = "MB/s"};
  drawn.series = kernels;
  drawn.direction = chart::Direction::Lying;
  for (const measure::ChunkerKernels& chunker : chunkers) {
    chart::BarGroup group{.name = chunker.params};
    for (const std::string& kernel : kernels) {
      const std::optional<double> rate = mb_per_second(chunker, kernel);
      group.bars.push_back(rate ? std::optional(chart::Bar{.value = *rate}) : std::nullopt);
    }
    drawn.groups.push_back(std::move(group));
  }
  return drawn;
}

Result<Blake3Sweep> measure_blake3_sweep(const FigureSettings& settings,
                                         const std::function<void(const Blake3Sweep&)>& each) {
  Blake3Sweep sweep{.cpu = cpu_name(), .threads = settings.threads, .runs = settings.quick ? 1 : 5};
  std::vector<unsigned> ladder = {16, 256};
  measure::Blake3Effort effort{.runs = sweep.runs, .mib_per_run = 1};
  if (!settings.quick) {
    ladder = measure::threshold_ladder(measure::Effort::Balanced);
    ladder.push_back(kLargestKib);
    effort.mib_per_run = measure::Blake3Effort{}.mib_per_run;
  }
  measure::Blake3Meter meter(settings.threads, settings.stop);
  each(sweep);
  for (const unsigned kib : ladder) {
    CAIRN_TRY(const measure::Blake3Point point, meter.measure(kib, effort));
    sweep.points.push_back(point);
    each(sweep);
  }
  return sweep;
}

std::string Blake3Sweep::head() const {
  return benchmark_title(fmt::format("BLAKE3, MiB/s ({}, {}, median of {})", cpu, how_many(threads, "thread"),
                                     how_many(static_cast<unsigned>(runs), "run"))) +
         fmt::format("{:>7}{:>11}{:>11}{:>9}\n", "KiB", "single", "AUTO", "ratio");
}

std::string Blake3Sweep::line(const measure::Blake3Point& point) {
  return fmt::format("{:>7}{:>11.0f}{:>11.0f}{:>8.2f}x\n", point.kib, point.single, point.many, point.ratio);
}

nlohmann::json Blake3Sweep::json() const {
  nlohmann::json rows = nlohmann::json::array();
  for (const measure::Blake3Point& point : points) {
    rows.push_back({{"kib", point.kib},
                    {"single", point.single},
                    {"auto", point.many},
                    {"ratio", point.ratio},
                    {"noise", point.noise}});
  }
  return {{"cpu", cpu}, {"threads", threads}, {"runs", runs}, {"results", std::move(rows)}};
}

chart::LineChart Blake3Sweep::chart() const {
  chart::LineChart drawn;
  drawn.heading = {
      .title = "Keyed BLAKE3 over input sizes",
      .subtitle = fmt::format("{}, {}", cpu, how_many(threads, "thread")),
      .caption = fmt::format("median of {}; Cairn {}", how_many(static_cast<unsigned>(runs), "run"), kCairnVersion)};
  drawn.x = {.title = "input size (KiB)", .scale = chart::Scale::Log2};
  drawn.y = {.title = "MiB/s"};
  chart::Line one{.name = "one thread"};
  chart::Line many{.name = "split over " + how_many(threads, "thread")};
  for (const measure::Blake3Point& point : points) {
    one.points.push_back({.x = static_cast<double>(point.kib), .y = point.single});
    many.points.push_back({.x = static_cast<double>(point.kib), .y = point.many});
  }
  drawn.lines = {std::move(one), std::move(many)};
  return drawn;
}

}  // namespace cairn::cli
