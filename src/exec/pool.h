// The worker pool: threads that park when idle, two lanes of tasks, and a caller that works too.
//
// Pool(n) means n threads in all, the calling one included. Pool(1) runs every task inside submit() and never starts a
// thread; the code above is the same. Further threads start lazily, only when a task has to wait although a processor
// could take it. Idle threads park on a condition variable and never spin (measured: docs/threads.md).
//
// Lanes     Finish tasks end something under way (a chunk, a pack) and are taken first; Begin tasks open new work
//           (files). A thread that must wait inside a task may only help with Finish tasks, so that waiting never nests
//           new work.
// Loads     a task says what most of it waits for. While Memory is full (memory_gate.h) the others go first, and an
//           idle worker leaves Memory tasks where they are; one that finds Memory full in the middle of a task takes
//           Compute tasks.
// Bounds    the queue is short; submit() runs the task inline when it is full, so a producer can never run far ahead.
// Blocking  Finish tasks must not wait for other tasks. Begin tasks may wait through wait_until().
// Threads   all members are safe from the constructing thread and from tasks.
// Errors    tasks return nothing; they report through a Stop. Exceptions must not leave them.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "exec/load.h"
#include "exec/memory_gate.h"
#include "exec/spare.h"

namespace cairn::exec {

class Pool;

// The thread that runs a task. Index 0 is the thread that owns the pool; others are 1 .. threads - 1.
class Worker {
 public:
  unsigned index() const { return index_; }
  Pool& pool() const { return *pool_; }
  // Workers that would only idle now; without any, a handle that splits nothing. Unless split_over() says otherwise.
  const Spare& spare() const;

 private:
  friend class Pool;
  Worker(Pool* pool, unsigned index) : pool_(pool), index_(index) {}
  Pool* pool_;
  unsigned index_;
  bool helping_ = false;  // with Compute tasks, inside of another task
};

enum class Lane { Finish, Begin };

using Task = std::move_only_function<void(Worker&)>;

class Pool final : private Spare {
 public:
  explicit Pool(unsigned threads, MemoryGate& memory = memory_gate());
  ~Pool() override;  // runs what is queued, then joins
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  unsigned threads() const { return threads_; }
  unsigned started() const { return started_.load(std::memory_order_relaxed); }  // of the n - 1 others
  Worker& main_worker() { return *workers_[0]; }
  MemoryGate& memory() { return memory_; }

  // `worker` is the thread that submits.
  void submit(Worker& worker, Lane lane, Task task, Load load = Load::Compute);
  // At most so many Begin tasks at once; the others wait. Before the first one is submitted.
  void limit_begin(unsigned at_once);
  // Long work announces itself: this thread will be busy, so a task that only waits for it gets a thread of its own.
  void expect_long_work();
  // What Worker::spare() offers instead of the idle workers. Before the first task.
  void split_over(std::unique_ptr<Spare> spare) { split_over_ = std::move(spare); }
  // Starts threads until so many helpers exist (those that are busy included), for who will soon split something.
  void expect_helpers(unsigned count);
  // Runs one queued task of `lowest` or a higher lane; false if there is none.
  bool help(Worker& worker, Lane lowest);
  // Returns when `done()` is true. Works on queued tasks meanwhile (Finish ones; Begin ones too if `lowest` says so),
  // else parks. Whoever makes `done()` true must call notify(). `done` is called without locks held, many times.
  void wait_until(Worker& worker, Lane lowest, const std::function<bool()>& done);
  void notify();
  // Returns when no task is queued or running. Owner only.
  void drain();
  // For memory_bound(): a slot; while there is none, Compute tasks of the Finish lane are run.
  MemoryGate::Slot enter_memory(Worker& worker);

 private:
  friend class Worker;
  struct Queued {
    Task task;
    Load load = Load::Compute;
    Lane lane = Lane::Finish;
  };
  enum class Choice { Any, LeaveMemory, ComputeOnly };  // LeaveMemory: Memory tasks stay while Memory is full
  void run(Worker& worker, Queued& queued);
  void thread_main(unsigned index);
  // With mutex_ held:
  bool take(Lane lowest, Choice choice, Queued& queued);
  bool take_from(std::deque<Queued>& queue, bool memory_full, Queued& queued);
  bool has_begin() const { return !begin_.empty() && begin_running_ < begin_limit_; }
  void start_one();
  // Spare
  unsigned helpers() const override;
  void run(std::size_t parts, const std::function<void(std::size_t)>& part) const override;

  const unsigned threads_;
  const std::size_t queue_limit_;
  MemoryGate& memory_;
  std::unique_ptr<Spare> split_over_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<std::thread> others_;
  std::atomic<unsigned> started_{0};

  mutable std::mutex mutex_;
  mutable std::condition_variable work_;   // parked workers wait here
  mutable std::condition_variable event_;  // wait_until() waits here
  mutable std::deque<Queued> finish_, begin_;
  unsigned begin_limit_ = ~0U, begin_running_ = 0;
  unsigned held_back_ = 0;   // workers that found nothing but Memory tasks, while Memory is full
  std::size_t running_ = 0;  // tasks taken and not yet done, inline ones included
  mutable std::atomic<unsigned> parked_{0};
  std::atomic<unsigned> queued_{0};
  std::uint64_t events_ = 0;
  unsigned waiting_ = 0;
  bool closing_ = false;
};

// One T per worker of a pool, made when first used: codec contexts, scratch buffers, counters.
template <class T>
class PerWorker {
 public:
  PerWorker(const Pool& pool, std::function<std::unique_ptr<T>()> make)
      : make_(std::move(make)), slots_(pool.threads()) {}
  T& operator()(const Worker& worker) {
    auto& slot = slots_[worker.index()];
    if (!slot) slot = make_();
    return *slot;
  }
  // After the pool has come to rest: those that exist.
  template <class F>
  void for_each(F&& visit) const {
    for (const auto& slot : slots_) {
      if (slot) visit(*slot);
    }
  }

 private:
  std::function<std::unique_ptr<T>()> make_;
  std::vector<std::unique_ptr<T>> slots_;
};

}  // namespace cairn::exec
