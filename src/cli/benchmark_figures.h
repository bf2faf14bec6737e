// What `benchmark cpu` has beyond Borg's: every kernel of every chunker, and BLAKE3 over input sizes. Tables, JSON and
// charts of them.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "chart/chart.h"
#include "measure/blake3_speed.h"
#include "measure/kernel_speed.h"

namespace cairn::cli {

struct FigureSettings {
  bool quick = false;  // a test of the program and not of the machine
  unsigned threads = 1;
  std::function<bool()> stop{};
};

// Chunkers as rows, kernels as columns, MB/s.
struct KernelTable {
  std::string cpu{};
  int runs = 3;
  std::vector<std::string> kernels{};  // of any chunker, in order
  std::vector<measure::ChunkerKernels> chunkers{};

  std::string text() const;  // "-" where a chunker has no such kernel or this CPU cannot run it
  nlohmann::json json() const;
  chart::BarChart chart() const;
};
Result<KernelTable> measure_kernel_table(const FigureSettings& settings);

struct Blake3Sweep {
  std::string cpu{};
  unsigned threads = 1;
  int runs = 3;
  std::vector<measure::Blake3Point> points{};

  std::string head() const;
  static std::string line(const measure::Blake3Point& point);
  nlohmann::json json() const;
  chart::LineChart chart() const;
};
// Calls `each` after each size.
Result<Blake3Sweep> measure_blake3_sweep(const FigureSettings& settings,
                                         const std::function<void(const Blake3Sweep&)>& each);

}  // namespace cairn::cli
