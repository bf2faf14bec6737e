// Everything that one run of `cairn tune` found, and the settings that follow from it.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "measure/kernel_speed.h"
#include "measure/machine.h"
#include "measure/memory_speed.h"
#include "measure/reader_speed.h"
#include "measure/threshold_search.h"

namespace cairn::measure {

struct Tuning {
  Machine machine{};
  unsigned threads = 1;      // that were measured at most
  std::string effort{};      // "quick", "balanced", "thorough"
  int runs = 0;              // of a point of the BLAKE3 ladder
  double margin = 1.0;       // the speed-up that counts as winning
  double seconds = 0;        // that the measurement took
  double load = 0;           // of the machine in the minute before
  bool complete = true;      // false: it was interrupted
  ThresholdSearch blake3{};  // no points: not measured
  MemorySpeed memory{};      // the same
  std::vector<ChunkerKernels> kernels{};
  std::optional<ReaderSpeed> readers{};
};

// Other work took so much of the processors that the figures say nothing about the machine.
bool was_busy(const Tuning& tuning);

// How much the runs of a point of the ladder differ, typically; and whether that is little enough to conclude from.
double typical_noise(const ThresholdSearch& search);
constexpr double kMostNoise = 0.25;

// Settings for one machine. What is not there stays as it is by default.
struct Settings {
  static constexpr std::size_t kNever = static_cast<std::size_t>(-1);

  std::optional<std::size_t> blake3_threshold{};  // bytes; kNever: no input is split
  std::optional<unsigned> memory_threads{};
  std::map<std::string, std::string> kernels{};  // by name of the chunker
  std::optional<unsigned> readers{};             // that read files at once; nothing: as many as there are threads

  friend bool operator==(const Settings&, const Settings&) = default;
};

// Only of parts that were measured to their end, on a machine that did nothing else, and are sure.
Settings recommended(const Tuning& tuning);

}  // namespace cairn::measure
