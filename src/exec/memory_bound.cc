#include "exec/memory_bound.h"

#include <condition_variable>
#include <mutex>

namespace cairn::exec {
namespace {

MemoryPolicy g_policy;

struct Slots {
  std::mutex mutex;
  std::condition_variable free;
  unsigned taken = 0;
};
Slots& slots() {
  static Slots instance;
  return instance;
}

thread_local bool t_inside = false;  // NOLINT: a fact about the thread itself, not state of some worker

}  // namespace

const MemoryPolicy& memory_policy() { return g_policy; }
void set_memory_policy(const MemoryPolicy& policy) { g_policy = policy; }

namespace detail {

bool enter_memory_slot() {
  if (t_inside) return false;
  Slots& all = slots();
  std::unique_lock lock(all.mutex);
  all.free.wait(lock, [&] { return all.taken < g_policy.cap; });
  ++all.taken;
  t_inside = true;
  return true;
}

void leave_memory_slot() {
  t_inside = false;
  Slots& all = slots();
  {
    const std::lock_guard lock(all.mutex);
    --all.taken;
  }
  all.free.notify_one();
}

}  // namespace detail
}  // namespace cairn::exec
