// Fewer threads where memory is the bottleneck: at most a capped number of threads move large amounts of bytes at once.
//
// memory_bound(bytes, fn) calls fn at once when the work is small (it fits a last-level cache) or when the process has
// no more threads than the cap; that costs one comparison. Otherwise it takes one of the cap's slots first. fn must not
// call memory_bound() with a lock held that another slot holder may want; a nested call runs at once.
#pragma once

#include <cstddef>
#include <utility>

namespace cairn::exec {

struct MemoryPolicy {
  unsigned threads = 1;                       // of the process; set once, before work starts
  unsigned cap = 8;                           // CAIRN_MEMORY_THREADS
  std::size_t small = std::size_t{8} << 20U;  // runs at once up to here
};

const MemoryPolicy& memory_policy();
void set_memory_policy(const MemoryPolicy& policy);

namespace detail {
// True if a slot was taken (and must be given back); false if this thread holds one already.
bool enter_memory_slot();
void leave_memory_slot();
}  // namespace detail

template <class F>
auto memory_bound(std::size_t approximate_bytes, F&& work) {
  const MemoryPolicy& policy = memory_policy();
  if (policy.threads <= policy.cap || approximate_bytes <= policy.small) return std::forward<F>(work)();
  struct Slot {
    bool taken = detail::enter_memory_slot();
    ~Slot() {
      if (taken) detail::leave_memory_slot();
    }
  } slot;
  return std::forward<F>(work)();
}

}  // namespace cairn::exec
