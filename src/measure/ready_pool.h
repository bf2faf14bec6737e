// A worker pool whose threads are all started and parked: pools start them lazily, which a measurement must not see.
//
// Threads   used by the thread that made it.
#pragma once

#include <atomic>
#include <functional>

#include "exec/pool.h"

namespace cairn::measure {

class ReadyPool {
 public:
  explicit ReadyPool(unsigned threads);

  unsigned threads() const { return pool_.threads(); }
  // The idle workers as a divisible step sees them.
  const exec::Spare& spare() { return pool_.main_worker().spare(); }
  void wait_until_parked();
  // Runs work(0) .. work(n - 1) at the same time, each on a thread of its own; n is at most threads().
  void run_together(unsigned n, const std::function<void(unsigned)>& work);

 private:
  exec::Pool pool_;
};

}  // namespace cairn::measure
