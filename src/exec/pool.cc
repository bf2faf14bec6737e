#include "exec/pool.h"

#include <algorithm>

#include "base/check.h"
#include "exec/delay.h"

namespace cairn::exec {

const Spare& Worker::spare() const {
  if (pool_->split_over_) return *pool_->split_over_;
  return pool_->helpers() > 0 ? static_cast<const Spare&>(*pool_) : no_spare();
}

// Two tasks per thread: one under way is followed at once by the next, and nothing waits long.
Pool::Pool(unsigned threads, MemoryGate& memory)
    : threads_(threads), queue_limit_(std::size_t{threads} * 2), memory_(memory) {
  CAIRN_CHECK(threads >= 1, "a pool needs a thread");
  for (unsigned i = 0; i < threads; ++i) workers_.push_back(std::unique_ptr<Worker>(new Worker(this, i)));
}

Pool::~Pool() {
  drain();
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  work_.notify_all();
  memory_.wake_all(this);
  for (std::thread& thread : others_) thread.join();
}

void Pool::limit_begin(unsigned at_once) {
  CAIRN_CHECK(at_once >= 1, "nothing would ever begin");
  const std::lock_guard lock(mutex_);
  begin_limit_ = at_once;
}

void Pool::submit(Worker& worker, Lane lane, Task task, Load load) {
  Queued queued{.task = std::move(task), .load = load, .lane = lane};
  if (threads_ > 1) {
    std::unique_lock lock(mutex_);
    const bool is_begin = lane == Lane::Begin;
    auto& queue = is_begin ? begin_ : finish_;
    // What may not run now has to wait, however much of it there is; whoever limits Begin tasks bounds their number.
    const bool must_wait = is_begin && begin_running_ >= begin_limit_;
    if (queue.size() < queue_limit_ || must_wait) {
      const bool memory_full = load == Load::Memory && memory_.full();
      const bool can_run = !must_wait && !memory_full;
      // Lazy start: while nobody is parked, a thread is added only if an earlier task is waiting already.
      if (can_run && parked_.load(std::memory_order_relaxed) == 0 && held_back_ == 0 &&
          finish_.size() + begin_.size() > 0) {
        start_one();
      }
      queue.push_back(std::move(queued));
      queued_.fetch_add(1, std::memory_order_relaxed);
      const unsigned parked = parked_.load(std::memory_order_relaxed);
      const bool wake_waiter = waiting_ > 0 && finish_.size() + begin_.size() > parked;
      lock.unlock();
      hand_over();
      if (parked > 0) work_.notify_one();
      if (memory_.limits() && can_run) memory_.work_came(this);
      if (wake_waiter) event_.notify_all();
      return;
    }
    ++running_;
    if (is_begin) ++begin_running_;
  } else {
    ++running_;
  }
  run(worker, queued);
}

void Pool::run(Worker& worker, Queued& queued) {
  queued.task(worker);
  queued.task = nullptr;  // what it holds (leases) is released before anybody is told
  hand_over();
  if (threads_ == 1) {
    --running_;
    return;
  }
  bool wake = false;
  bool next_begin = false;
  {
    const std::lock_guard lock(mutex_);
    --running_;
    ++events_;
    wake = waiting_ > 0;
    if (queued.lane == Lane::Begin && begin_running_-- >= begin_limit_) next_begin = has_begin();
  }
  if (next_begin) work_.notify_one();
  if (wake) event_.notify_all();
}

bool Pool::take_from(std::deque<Queued>& queue, bool memory_full, Queued& queued) {
  const auto next = memory_full
                        ? std::ranges::find_if(queue, [](const Queued& one) { return one.load != Load::Memory; })
                        : queue.begin();
  if (next == queue.end()) return false;
  queued = std::move(*next);
  queue.erase(next);
  queued_.fetch_sub(1, std::memory_order_relaxed);
  ++running_;
  if (queued.lane == Lane::Begin) ++begin_running_;
  return true;
}

bool Pool::take(Lane lowest, Choice choice, Queued& queued) {
  const bool begin_too = lowest == Lane::Begin && has_begin();
  if (choice == Choice::ComputeOnly || memory_.full()) {
    if (take_from(finish_, true, queued)) return true;
    if (begin_too && take_from(begin_, true, queued)) return true;
    if (choice != Choice::Any) return false;
  }
  return take_from(finish_, false, queued) || (begin_too && take_from(begin_, false, queued));
}

bool Pool::help(Worker& worker, Lane lowest) {
  if (threads_ == 1 || queued_.load(std::memory_order_relaxed) == 0) return false;
  Queued queued;
  {
    const std::lock_guard lock(mutex_);
    if (!take(lowest, Choice::Any, queued)) return false;
  }
  run(worker, queued);
  return true;
}

MemoryGate::Slot Pool::enter_memory(Worker& worker) {
  // Helping does not nest: a task that was taken for this reason only waits.
  if (threads_ == 1 || worker.helping_) return memory_.enter();
  return memory_.enter(this, [&] {
    Queued queued;
    {
      const std::lock_guard lock(mutex_);
      if (!take(Lane::Finish, Choice::ComputeOnly, queued)) return false;
    }
    worker.helping_ = true;
    run(worker, queued);
    worker.helping_ = false;
    return true;
  });
}

void Pool::expect_long_work() {
  if (threads_ == 1 || queued_.load(std::memory_order_relaxed) == 0) return;
  const std::lock_guard lock(mutex_);
  // Who is parked was told when the task came.
  if (parked_.load(std::memory_order_relaxed) > 0 || held_back_ > 0) return;
  if (!finish_.empty() || has_begin()) start_one();
}

void Pool::expect_helpers(unsigned count) {
  if (threads_ == 1 || started_.load(std::memory_order_relaxed) >= std::min(count, threads_ - 1)) return;
  const std::lock_guard lock(mutex_);
  while (started_.load(std::memory_order_relaxed) < std::min(count, threads_ - 1)) start_one();
}

void Pool::wait_until(Worker& worker, Lane lowest, const std::function<bool()>& done) {
  while (true) {
    std::uint64_t seen = 0;
    {
      const std::lock_guard lock(mutex_);
      seen = events_;
    }
    if (done()) return;
    CAIRN_CHECK(threads_ > 1, "a single thread would wait for itself");
    Queued queued;
    {
      std::unique_lock lock(mutex_);
      if (!take(lowest, Choice::Any, queued)) {
        if (events_ != seen) continue;
        ++waiting_;
        event_.wait(lock,
                    [&] { return events_ != seen || !finish_.empty() || (lowest == Lane::Begin && has_begin()); });
        --waiting_;
        continue;
      }
    }
    run(worker, queued);
  }
}

void Pool::notify() {
  if (threads_ == 1) return;
  bool wake = false;
  {
    const std::lock_guard lock(mutex_);
    ++events_;
    wake = waiting_ > 0;
  }
  if (wake) event_.notify_all();
}

void Pool::drain() {
  if (threads_ == 1) return;
  wait_until(main_worker(), Lane::Begin, [this] {
    const std::lock_guard lock(mutex_);
    return running_ == 0 && finish_.empty() && begin_.empty();
  });
}

void Pool::start_one() {
  const unsigned index = started_.load(std::memory_order_relaxed) + 1;
  if (index >= threads_) return;
  started_.store(index, std::memory_order_relaxed);
  others_.emplace_back([this, index] { thread_main(index); });
}

void Pool::thread_main(unsigned index) {
  Worker& worker = *workers_[index];
  while (true) {
    Queued queued;
    {
      std::unique_lock lock(mutex_);
      while (true) {
        const std::uint64_t seen = memory_.works();
        if (take(Lane::Begin, Choice::LeaveMemory, queued)) break;
        if (closing_) return;
        if (!finish_.empty() || has_begin()) {
          ++held_back_;
          lock.unlock();
          memory_.wait_for_change(this, seen);
          lock.lock();
          --held_back_;
          continue;
        }
        parked_.fetch_add(1, std::memory_order_relaxed);
        work_.wait(lock);
        parked_.fetch_sub(1, std::memory_order_relaxed);
      }
    }
    hand_over();
    run(worker, queued);
  }
}

unsigned Pool::helpers() const {
  if (threads_ == 1 || queued_.load(std::memory_order_relaxed) > 0) return 0;
  const unsigned parked = parked_.load(std::memory_order_relaxed);
  return parked == 0 ? 0 : std::min(parked, memory_.room());
}

void Pool::run(std::size_t parts, const std::function<void(std::size_t)>& part) const {
  struct Job {
    std::atomic<std::size_t> next{0};
    std::size_t active = 0;  // guarded by the pool's mutex
    std::size_t parts = 0;
    const std::function<void(std::size_t)>* part = nullptr;
    void work() {
      for (std::size_t i = next.fetch_add(1); i < parts; i = next.fetch_add(1)) (*part)(i);
    }
  };
  auto* self = const_cast<Pool*>(this);  // NOLINT: Spare is const for its users; the pool behind it is not
  const auto job = std::make_shared<Job>();
  job->parts = parts;
  job->part = &part;
  {
    const std::lock_guard lock(mutex_);
    const std::size_t wanted =
        std::min<std::size_t>(parts - (parts > 0 ? 1 : 0), parked_.load(std::memory_order_relaxed));
    for (std::size_t i = 0; i < wanted; ++i) {
      auto join = [job, self](Worker&) {
        // What is split here moves bytes. Who finds Memory full leaves the parts to the others.
        MemoryGate::Slot slot;
        if (!self->memory_.try_enter(slot)) return;
        {
          const std::lock_guard inner(self->mutex_);
          ++job->active;
        }
        job->work();
        const std::lock_guard inner(self->mutex_);
        --job->active;
        ++self->events_;
      };
      finish_.push_back({.task = std::move(join), .load = Load::Compute, .lane = Lane::Finish});
      self->queued_.fetch_add(1, std::memory_order_relaxed);
    }
  }
  work_.notify_all();
  hand_over();
  job->work();
  // Helpers that begin now find no part left; those that hold one are waited for.
  std::unique_lock lock(mutex_);
  while (job->active > 0) {
    ++self->waiting_;
    event_.wait(lock);
    --self->waiting_;
  }
}

}  // namespace cairn::exec
