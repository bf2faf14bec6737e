// Which kernel of each chunker is the fastest here. Cuts do not depend on it.
//
// Units     MiB/s of cutting random bytes with the usual parameters, on one thread.
// Errors    Code::Interrupted when `stop` says so; what is known by then stays in the result.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace cairn::measure {

struct KernelRate {
  std::string name{};
  std::vector<double> runs{};
};

struct ChunkerKernels {
  std::string chunker{};  // "fastcdc"
  std::string params{};   // "fastcdc,19,23,21,2"
  std::string usual{};    // what is taken when nothing demands one
  std::vector<KernelRate> rates{};

  // The fastest by median; the usual one unless another is more than 3 % faster. Empty without measurements.
  std::string best() const;
};

struct KernelEffort {
  int runs = 3;
  double seconds_per_run = 0.05;
};

Status measure_kernels(const KernelEffort& effort, const std::function<bool()>& stop,
                       const std::function<void(std::string_view step)>& step, std::vector<ChunkerKernels>& found);

}  // namespace cairn::measure
