// Counts what is asked of a store: calls, failures, bytes and time per kind of operation.
//
// Threads   all functions; time is the sum over threads, so it may exceed the time that passed.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>

#include "base/clock.h"
#include "store/decorator.h"

namespace cairn::store {

struct OperationCount {
  std::uint64_t calls = 0;
  std::uint64_t failures = 0;  // missing objects count
  std::uint64_t bytes = 0;     // loaded or put
  double seconds = 0;
};

class StoreStatistics {
 public:
  OperationCount of(Operation operation) const;
  OperationCount total() const;
  void add(Operation operation, bool failed, std::uint64_t bytes, Nanoseconds duration);

 private:
  struct Counters {
    std::atomic<std::uint64_t> calls = 0, failures = 0, bytes = 0, nanoseconds = 0;
  };
  std::array<Counters, kOperations> counters_;
};

const char* name_of(Operation operation);  // "load"

// The statistics are shared by the store and whoever prints them after the store is gone.
std::unique_ptr<Store> make_counted_store(std::unique_ptr<Store> inner, std::shared_ptr<StoreStatistics> statistics,
                                          const Clock& clock = system_clock());

}  // namespace cairn::store
