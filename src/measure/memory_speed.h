// How much memory 1 .. N threads move together: set, copy, and hash bytes that no cache holds.
//
// Every thread works on its own part of one big block for a fixed time. All thread counts are gone through, then all
// again: runs that disagree then show what else the machine is doing.
//
// Units     GiB/s of bytes set, bytes copied (each is read and written), bytes hashed; all threads together.
// Errors    Code::Interrupted when `stop` says so; what is known by then stays in the result.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "measure/threshold_search.h"

namespace cairn::measure {

struct MemoryPoint {
  unsigned threads = 0;
  std::vector<double> runs{};
};

struct MemorySpeed {
  std::size_t bytes = 0;                           // of the whole block
  std::vector<MemoryPoint> set{}, copy{}, hash{};  // ascending by threads, with the same numbers of threads
};

struct MemoryEffort {
  std::vector<unsigned> threads{};  // ascending, at least one
  int runs = 3;
  double seconds_per_run = 0.06;
};

// Every number up to 8, then fewer and fewer, and the last one.
std::vector<unsigned> thread_ladder(unsigned most, Effort effort);

// 1 GiB, or a quarter of the memory that is free now; at least 64 MiB.
std::size_t memory_block_bytes();

// `step` is told what comes next: "copy, 4 threads".
Status measure_memory(const MemoryEffort& effort, std::size_t block_bytes, const std::function<bool()>& stop,
                      const std::function<void(std::string_view step)>& step, MemorySpeed& found);

}  // namespace cairn::measure
