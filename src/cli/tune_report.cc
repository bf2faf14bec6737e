#include "cli/tune_report.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/units.h"
#include "measure/memory_verdict.h"

namespace cairn::cli {
namespace {

using measure::Blake3Point;
using measure::Settings;
using measure::Tuning;

constexpr double kBarLength = 24;
constexpr const char* kRule = "============================================================\n";

std::string bar(double value, double full) {
  if (!(full > 0) || !(value > 0)) return {};
  const double length = std::min(value / full, 1.0) * kBarLength;
  return std::string(static_cast<std::size_t>(std::max(1.0, std::round(length))), '#');
}

// A line without blanks at its end.
std::string line(std::string text) {
  text.erase(text.find_last_not_of(' ') + 1);
  return text + "\n";
}

std::string plural(std::uint64_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string machine_text(const Tuning& tuning) {
  std::string out = tuning.machine.text() + "\n";
  out += fmt::format("{} {}, {}\n", tuning.machine.platform, tuning.machine.architecture, tuning.machine.blake3);
  if (tuning.machine.cpus_available < 2) out += "Only one core available - multi-threaded blake3 cannot help here.\n";
  if (measure::was_busy(tuning)) {
    out += fmt::format(
        "The machine was busy (load {:.1f}): nothing is recommended, measure again when it has nothing else to do.\n",
        tuning.load);
  }
  if (!tuning.complete) out += "Interrupted: this is what was known by then, and nothing is recommended.\n";
  return out;
}

std::string blake3_text(const Tuning& tuning) {
  const auto& points = tuning.blake3.points;
  if (points.empty()) return {};
  std::string out = fmt::format("\nBLAKE3 of one chunk, MiB/s: on one thread, and split over {}\n\n", tuning.threads);
  out += "    KiB     single       many    ratio\n--------------------------------------\n";
  const double full = std::ranges::max(points, {}, &Blake3Point::ratio).ratio;
  for (const Blake3Point& point : points) {
    out += line(fmt::format("{:>7} {:>10.0f} {:>10.0f} {:>7.2f}x  {:<24}  {}", point.kib, point.single, point.many,
                            point.ratio, bar(point.ratio, full), point.ratio < tuning.margin ? "slower" : ""));
  }
  if (tuning.blake3.threshold_kib) {
    const unsigned threshold = *tuning.blake3.threshold_kib;
    const auto first = std::ranges::find(points, threshold, &Blake3Point::kib);
    const double worst = std::ranges::min_element(first, points.end(), {}, &Blake3Point::ratio)->ratio;
    out += fmt::format("\nat the threshold, {} KiB: {:.2f}x; worst above it: {:.2f}x; at {} KiB: {:.2f}x\n", threshold,
                       first->ratio, worst, points.back().kib, points.back().ratio);
  } else {
    out += "\nNo threshold found: multi-threaded blake3 never wins consistently on this machine.\n";
  }
  if (const double noise = measure::typical_noise(tuning.blake3); noise > measure::kMostNoise) {
    out += fmt::format("The runs differ by {:.0f} %: the measurement is not reliable, and nothing is recommended.\n",
                       noise * 100);
  }
  out += "The speed-up is not monotonic: it peaks at powers of two, and sizes just below one are the worst around.\n";
  return out;
}

std::string memory_text(const Tuning& tuning) {
  const measure::MemorySpeed& memory = tuning.memory;
  if (memory.set.empty()) return {};
  const auto rate = [](const std::vector<measure::MemoryPoint>& points, std::size_t i) {
    return i < points.size() && !points[i].runs.empty() ? measure::median(points[i].runs) : 0;
  };
  double full = 0;
  for (std::size_t i = 0; i < memory.set.size(); ++i) full = std::max(full, rate(memory.copy, i));
  std::string out = fmt::format("\nMemory, GiB/s of all threads together, in a block of {}\n\n",
                                format_size(static_cast<std::int64_t>(memory.bytes), {.units = Units::Iec}));
  out += "threads       set      copy      hash\n--------------------------------------\n";
  for (std::size_t i = 0; i < memory.set.size(); ++i) {
    out += line(fmt::format("{:>7} {:>9.1f} {:>9.1f} {:>9.1f}    {}", memory.set[i].threads, rate(memory.set, i),
                            rate(memory.copy, i), rate(memory.hash, i), bar(rate(memory.copy, i), full)));
  }
  if (const auto verdict = measure::judge(memory)) {
    out += fmt::format("\nknee: {}; runs differ by {:.0f} %, {}\n{}\n", plural(verdict->knee, "thread"),
                       verdict->spread * 100, verdict->sure ? "and agree" : "so this is not sure", verdict->reason);
  }
  return out;
}

std::string kernels_text(const Tuning& tuning) {
  if (tuning.kernels.empty()) return {};
  std::string out = "\nChunkers, MiB/s on one thread, by kernel\n\n";
  for (const measure::ChunkerKernels& chunker : tuning.kernels) {
    double full = 0;
    for (const auto& rate : chunker.rates) {
      if (!rate.runs.empty()) full = std::max(full, measure::median(rate.runs));
    }
    std::string label = chunker.chunker;
    const std::string best = chunker.best();
    for (const auto& rate : chunker.rates) {
      if (rate.runs.empty()) continue;
      const double speed = measure::median(rate.runs);
      const char* const note = rate.name == best ? "best" : rate.name == chunker.usual ? "usual" : "";
      out += line(fmt::format("{:<15} {:<12} {:>8.0f}  {:<24}  {}", label, rate.name, speed, bar(speed, full), note));
      label.clear();
    }
  }
  return out;
}

std::string readers_text(const Tuning& tuning) {
  if (!tuning.readers) return {};
  const measure::ReaderSpeed& readers = *tuning.readers;
  std::string out = fmt::format("\nReaders in {}: {}, {}\n\n", readers.directory, plural(readers.files, "file"),
                                format_size(static_cast<std::int64_t>(readers.bytes), {.units = Units::Iec}));
  out += "readers     MiB/s\n-----------------\n";
  double full = 0;
  for (const auto& point : readers.points) {
    if (!point.runs.empty()) full = std::max(full, measure::median(point.runs));
  }
  for (const auto& point : readers.points) {
    if (point.runs.empty()) continue;
    const double rate = measure::median(point.runs);
    out += line(fmt::format("{:>7} {:>9.0f}  {}", point.readers, rate, bar(rate, full)));
  }
  if (readers.in_memory) {
    out += "\nThis file system lives in memory: these numbers say nothing about a disk.\n";
  } else if (!readers.is_meaningful()) {
    out += fmt::format(
        "\n{:.0f} % of it was in the page cache and stayed there: these numbers say little about the disk.\n",
        readers.cached * 100);
  } else if (const auto best = readers.best()) {
    out += fmt::format("\nbest: {}\n", plural(*best, "reader"));
  }
  return out;
}

const char* variable_of(const std::string& chunker) {
  if (chunker == "fastcdc") return "BORG_FASTCDC_KERNEL";
  return chunker == "buzhash64" ? "BORG_BUZHASH64_KERNEL" : nullptr;
}

}  // namespace

std::string tune_caption(const Tuning& tuning) {
  return fmt::format("{}; {} {}; {}; medians of several runs.", tuning.machine.text(), tuning.machine.platform,
                     tuning.machine.architecture, tuning.machine.blake3);
}

std::string tune_settings(const Tuning& tuning) {
  if (!tuning.complete) return {};
  const Settings settings = measure::recommended(tuning);
  std::string out;
  if (settings.blake3_threshold == Settings::kNever) {
    out += "Keep using single-threaded blake3:\n\n    export BORG_BLAKE3_MT_THRESHOLD=999999999\n\n";
  } else if (settings.blake3_threshold) {
    const std::size_t kib = *settings.blake3_threshold / 1024;
    out += fmt::format("Recommended threshold: {} KiB  ({} bytes)\n", kib, *settings.blake3_threshold);
    out += kib == 256 ? "That is the default, so nothing to change.\n\n"
                      : fmt::format("\n    export BORG_BLAKE3_MT_THRESHOLD={}\n\n", kib);
  }
  if (settings.memory_threads) {
    out += fmt::format("Threads for memory-bound work: {}\n", *settings.memory_threads);
    out += *settings.memory_threads == measure::kDefaultMemoryCap
               ? "That is the default, so nothing to change.\n\n"
               : fmt::format("\n    export CAIRN_MEMORY_THREADS={}\n\n", *settings.memory_threads);
  } else if (!tuning.memory.set.empty()) {
    out += "Threads for memory-bound work: keep the default, 8.\n\n";
  }
  for (const auto& [chunker, kernel] : settings.kernels) {
    out += fmt::format("Kernel of {}: {}\n", chunker, kernel);
    const char* const variable = variable_of(chunker);
    out += variable != nullptr ? fmt::format("\n    export {}={}\n\n", variable, kernel) : "\n";
  }
  if (!tuning.kernels.empty() && settings.kernels.empty()) out += "Kernels: the usual ones are the best ones.\n\n";
  if (settings.readers) {
    out += fmt::format("Readers: {}; more are slower in {}\n\n    export CAIRN_READERS={}\n\n", *settings.readers,
                       tuning.readers->directory, *settings.readers);
  }
  if (!out.empty()) out.pop_back();
  return out;
}

std::string tune_report(const Tuning& tuning) {
  std::string out =
      machine_text(tuning) + blake3_text(tuning) + memory_text(tuning) + kernels_text(tuning) + readers_text(tuning);
  if (const std::string settings = tune_settings(tuning); !settings.empty()) {
    out += fmt::format("\n{0}{1}{0}", kRule, settings);
  }
  return out + fmt::format("measured in {:.0f} s. None of this changes what is stored.\n", tuning.seconds);
}

}  // namespace cairn::cli
