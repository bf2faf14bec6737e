// Slots for work whose limit is memory: on each NUMA node at most `cap` threads do such work at once.
//
// A few threads use up what memory can deliver; more make each other slower and take processors from work that could
// use them (measurements: docs/threads.md). A slot is held for one step (microseconds to milliseconds), never across
// waiting for other tasks.
//
// Deadlock  cannot happen. Whoever is inside needs no second slot; who waits holds nothing but what the caller holds;
//           and a wait is bounded: after `patience` the work goes on without a free slot. So a caller with a lock that
//           somebody inside wants loses that time at most.
// Order     first come, first served; a slot that becomes free goes straight to the thread that waits longest.
// Threads   all members but set_policy() may be called by any thread.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace cairn::exec {

struct MemoryPolicy {
  unsigned threads = 1;                       // of the process
  unsigned cap = 8;                           // at once, on each node
  std::size_t small = std::size_t{8} << 20U;  // bytes; work up to here always runs at once
  unsigned nodes = 1;                         // NUMA nodes
  std::function<unsigned()> node_here{};      // of the calling thread, below `nodes`; needed with several nodes
  std::chrono::milliseconds patience{50};

  // Whether anything is ever held back.
  bool limits() const { return threads > cap; }
  // For people: "at most 8 of 24 threads ...".
  std::string text() const;
};

class MemoryGate {
 public:
  explicit MemoryGate(MemoryPolicy policy = {}) { set_policy(std::move(policy)); }
  MemoryGate(const MemoryGate&) = delete;
  MemoryGate& operator=(const MemoryGate&) = delete;

  // While nobody is inside or waits.
  void set_policy(MemoryPolicy policy);
  const MemoryPolicy& policy() const { return policy_; }

  // Whether work that touches so many bytes needs a slot: two comparisons, and one on machines with few threads.
  bool limits(std::size_t bytes) const { return limits_ && bytes > policy_.small; }
  bool limits() const { return limits_; }

  // A slot, or (on a thread that holds one already) leave to go on. Given back by the destructor.
  class Slot {
   public:
    Slot() = default;
    Slot(Slot&& other) noexcept : gate_(std::exchange(other.gate_, nullptr)), node_(other.node_) {}
    Slot& operator=(Slot&&) = delete;
    ~Slot() {
      if (gate_ != nullptr) gate_->leave(node_);
    }

   private:
    friend class MemoryGate;
    Slot(MemoryGate* gate, unsigned node) : gate_(gate), node_(node) {}
    MemoryGate* gate_ = nullptr;
    unsigned node_ = 0;
  };

  Slot enter();
  // While no slot is free `work` is called: it does something else and says whether there was anything. `scheduler`
  // (an address, no more) is who says that work_came().
  Slot enter(const void* scheduler, const std::function<bool()>& work);
  // Nothing instead of waiting.
  bool try_enter(Slot& slot);

  // Slots that are free for this thread now; with no limit more than anybody asks for.
  unsigned room() const;
  bool full() const { return limits_ && room() == 0; }

  // For schedulers. New work was queued: a thread that waits here and could do it is woken.
  void work_came(const void* scheduler);
  std::uint64_t works() const { return works_.load(); }  // how often that was said
  // Returns when a slot may be free on this thread's node, or work came since works() was `seen`.
  void wait_for_change(const void* scheduler, std::uint64_t seen);
  void wake_all(const void* scheduler);  // of those in wait_for_change()

 private:
  struct Waiter;
  struct alignas(64) Node {
    std::atomic<unsigned> inside{0};
  };
  unsigned node_here() const { return policy_.nodes > 1 ? policy_.node_here() : 0; }
  bool take(unsigned node);
  void leave(unsigned node);
  enum class Woken { WithSlot, ByWork, OutOfPatience };
  Woken wait(unsigned node, const void* scheduler, std::uint64_t seen);
  void wake(std::deque<Waiter*>::iterator waiter, Woken why);

  MemoryPolicy policy_;
  bool limits_ = false;
  std::unique_ptr<Node[]> nodes_;
  std::atomic<unsigned> waiting_{0};
  std::atomic<std::uint64_t> works_{0};
  std::mutex mutex_;
  std::deque<Waiter*> waiters_;  // oldest first
};

// The one that memory_bound() and pools use unless told otherwise.
MemoryGate& memory_gate();

}  // namespace cairn::exec
