// How fast keyed BLAKE3 is at one input size: on one thread, and split over a pool as `create` splits it.
//
// Input     the bytes 0..250 repeated, a key of 32 zero bytes.
// Units     sizes in KiB, rates in MiB/s.
// Threads   one Blake3Meter at a time, used by the thread that made it; it sets the process's split threshold and puts
//           back what the variable asks for when it ends.
// Source    docs/format (benchmark, section 4.1).
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "base/error.h"

namespace cairn::measure {

struct Blake3Point {
  unsigned kib = 0;
  double single = 0, many = 0;  // medians
  double ratio = 0;             // many / single
  double noise = 0;             // (max - min) / max of the runs with many threads
};

struct Blake3Effort {
  int runs = 5;
  unsigned mib_per_run = 96;
  double seconds_per_run = 0;  // a run ends after about so long even if there are bytes left; 0: no limit
};

double median(std::vector<double> values);  // of at least one

class Blake3Meter {
 public:
  // `stop` is asked between runs; when it says so, measure() fails with Code::Interrupted.
  explicit Blake3Meter(unsigned threads, std::function<bool()> stop = {});
  Blake3Meter(const Blake3Meter&) = delete;
  Blake3Meter& operator=(const Blake3Meter&) = delete;
  ~Blake3Meter();

  Result<Blake3Point> measure(unsigned kib, const Blake3Effort& effort);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace cairn::measure
