// What bandwidth measurements say about the memory cap, and how sure they are.
//
// knee      the fewest threads that set, and copy, at least 95 % of the best rate.
// cap       threads that may do memory-bound work at once (exec/memory_gate.h): the knee where the measurement is sure
//           and there are enough threads for it to matter, else the default, 8.
// sure      such measurements are known to be unreliable: other programs, clocks that change, virtual machines. So the
//           runs are compared with each other, and if they disagree nothing is recommended.
#pragma once

#include <optional>
#include <string>

#include "measure/memory_speed.h"

namespace cairn::measure {

inline constexpr unsigned kDefaultMemoryCap = 8;

struct MemoryVerdict {
  unsigned knee = 1;
  unsigned cap = kDefaultMemoryCap;
  bool sure = false;
  double spread = 0;   // typical (median) distance between the runs of a point, as a share of the largest
  std::string reason;  // one sentence
};

// Nothing without at least one whole run.
std::optional<MemoryVerdict> judge(const MemorySpeed& speed);

// The fewest threads whose rate reaches 95 % of the best; of points in ascending order.
unsigned knee_of(const std::vector<MemoryPoint>& points, const std::function<double(const MemoryPoint&)>& rate);

}  // namespace cairn::measure
