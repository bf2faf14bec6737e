#include "exec/memory_gate.h"

#include <algorithm>
#include <condition_variable>
#include <limits>

#include <fmt/format.h>

#include "base/check.h"
#include "exec/delay.h"

namespace cairn::exec {
namespace {

thread_local bool t_inside = false;  // NOLINT: a fact about the thread itself, not state of some worker

}  // namespace

struct MemoryGate::Waiter {
  unsigned node;
  bool wants_slot;
  const void* scheduler;  // whose work is wanted, if any
  bool woken = false;
  Woken why = Woken::OutOfPatience;
  std::condition_variable changed{};
};

std::string MemoryPolicy::text() const {
  if (!limits()) return fmt::format("not limited: {} thread(s), the limit is {}", threads, cap);
  const std::string where = nodes > 1 ? fmt::format(" on each of {} NUMA nodes", nodes) : std::string();
  return fmt::format("at most {} of {} threads at once{}, for work on more than {} MiB", cap, threads, where,
                     small >> 20U);
}

void MemoryGate::set_policy(MemoryPolicy policy) {
  CAIRN_CHECK(policy.cap > 0 && policy.nodes > 0, "somebody must be able to work");
  CAIRN_CHECK(policy.nodes == 1 || policy.node_here, "with several nodes a thread must be told where it is");
  policy_ = std::move(policy);
  limits_ = policy_.limits();
  nodes_ = std::make_unique<Node[]>(policy_.nodes);
}

// Orders matter from here on: who waits is counted before it looks at what is free, and who frees looks at the count
// afterwards. All of these are sequentially consistent, so one of the two sees the other.
bool MemoryGate::take(unsigned node) {
  std::atomic<unsigned>& inside = nodes_[node].inside;
  unsigned now = inside.load();
  while (now < policy_.cap) {
    if (inside.compare_exchange_weak(now, now + 1)) return true;
  }
  return false;
}

unsigned MemoryGate::room() const {
  if (!limits_) return std::numeric_limits<unsigned>::max();
  const unsigned inside = nodes_[node_here()].inside.load();
  return inside < policy_.cap ? policy_.cap - inside : 0;
}

void MemoryGate::wake(std::deque<Waiter*>::iterator waiter, Woken why) {
  Waiter& one = **waiter;
  waiters_.erase(waiter);
  one.woken = true;
  one.why = why;
  one.changed.notify_one();
}

void MemoryGate::leave(unsigned node) {
  t_inside = false;
  nodes_[node].inside.fetch_sub(1);
  if (waiting_.load() == 0) return;
  hand_over();
  const std::lock_guard lock(mutex_);
  const auto next = std::ranges::find_if(waiters_, [&](const Waiter* w) { return w->node == node && w->wants_slot; });
  if (next != waiters_.end()) {
    if (take(node)) wake(next, Woken::WithSlot);
    return;
  }
  const auto idle = std::ranges::find_if(waiters_, [&](const Waiter* w) { return w->node == node; });
  if (idle != waiters_.end()) wake(idle, Woken::ByWork);
}

void MemoryGate::work_came(const void* scheduler) {
  works_.fetch_add(1);
  if (waiting_.load() == 0) return;
  const std::lock_guard lock(mutex_);
  const auto next = std::ranges::find_if(waiters_, [&](const Waiter* w) { return w->scheduler == scheduler; });
  if (next != waiters_.end()) wake(next, Woken::ByWork);
}

void MemoryGate::wake_all(const void* scheduler) {
  works_.fetch_add(1);
  const std::lock_guard lock(mutex_);
  const auto wanted = [&](const Waiter* w) { return w->scheduler == scheduler && !w->wants_slot; };
  for (auto next = std::ranges::find_if(waiters_, wanted); next != waiters_.end();
       next = std::ranges::find_if(waiters_, wanted)) {
    wake(next, Woken::ByWork);
  }
}

MemoryGate::Woken MemoryGate::wait(unsigned node, const void* scheduler, std::uint64_t seen) {
  Waiter self{.node = node, .wants_slot = true, .scheduler = scheduler};
  std::unique_lock lock(mutex_);
  waiting_.fetch_add(1);
  Woken why = Woken::ByWork;
  if (take(node)) {
    why = Woken::WithSlot;
  } else if (scheduler == nullptr || works_.load() == seen) {
    waiters_.push_back(&self);
    if (self.changed.wait_for(lock, policy_.patience, [&] { return self.woken; })) {
      why = self.why;
    } else {
      std::erase(waiters_, &self);
      nodes_[node].inside.fetch_add(1);  // one too many for a while
      why = Woken::OutOfPatience;
    }
  }
  waiting_.fetch_sub(1);
  return why;
}

void MemoryGate::wait_for_change(const void* scheduler, std::uint64_t seen) {
  const unsigned node = node_here();
  Waiter self{.node = node, .wants_slot = false, .scheduler = scheduler};
  std::unique_lock lock(mutex_);
  waiting_.fetch_add(1);
  if (works_.load() == seen && nodes_[node].inside.load() >= policy_.cap) {
    waiters_.push_back(&self);
    self.changed.wait(lock, [&] { return self.woken; });
  }
  waiting_.fetch_sub(1);
}

bool MemoryGate::try_enter(Slot& slot) {
  if (!limits_ || t_inside) return true;
  const unsigned node = node_here();
  if (!take(node)) return false;
  t_inside = true;
  slot.gate_ = this;
  slot.node_ = node;
  return true;
}

MemoryGate::Slot MemoryGate::enter() {
  Slot slot;
  if (try_enter(slot)) return slot;
  const unsigned node = node_here();
  (void)wait(node, nullptr, 0);
  t_inside = true;
  return {this, node};
}

MemoryGate::Slot MemoryGate::enter(const void* scheduler, const std::function<bool()>& work) {
  while (true) {
    Slot slot;
    if (try_enter(slot)) return slot;
    const std::uint64_t seen = works();
    if (work()) continue;
    const unsigned node = node_here();
    if (wait(node, scheduler, seen) == Woken::ByWork) continue;
    t_inside = true;
    return {this, node};
  }
}

MemoryGate& memory_gate() {
  static MemoryGate gate;
  return gate;
}

}  // namespace cairn::exec
