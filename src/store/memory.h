// A store in memory, for tests: same names, same errors as a directory.
//
// Two stores on one MemoryDisk are two clients of one repository. A disk remembers what sync() has made durable;
// MemoryDisk::lose_power() takes back a seeded choice of what came later.
// Threads   as Store says; the disk has one lock.
#pragma once

#include <memory>

#include "base/clock.h"
#include "store/store.h"

namespace cairn::store {

class MemoryDisk {
 public:
  MemoryDisk();
  ~MemoryDisk();
  // Every name changed since the last sync() keeps its new state or falls back to the durable one, chosen by `seed`:
  // what a machine without fsync may find after a power failure.
  void lose_power(std::uint64_t seed);

  struct State;
  State& state() { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

// `clock` stamps the objects. The disk is shared by all stores on it and by the test that cuts its power.
std::unique_ptr<Store> make_memory_store(std::shared_ptr<MemoryDisk> disk = std::make_shared<MemoryDisk>(),
                                         const Clock& clock = system_clock());

}  // namespace cairn::store
