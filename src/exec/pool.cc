#include "exec/pool.h"

#include "base/check.h"
#include "exec/delay.h"

namespace cairn::exec {

const Spare& Worker::spare() const { return pool_->helpers() > 0 ? static_cast<const Spare&>(*pool_) : no_spare(); }

// Two tasks per thread: one under way is followed at once by the next, and nothing waits long.
Pool::Pool(unsigned threads) : threads_(threads), queue_limit_(std::size_t{threads} * 2) {
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
  for (std::thread& thread : others_) thread.join();
}

void Pool::submit(Worker& worker, Lane lane, Task task) {
  if (threads_ > 1) {
    std::unique_lock lock(mutex_);
    auto& queue = lane == Lane::Finish ? finish_ : begin_;
    if (queue.size() < queue_limit_) {
      // Lazy start: while nobody is parked, a thread is added only if an earlier task is waiting already.
      if (parked_.load(std::memory_order_relaxed) == 0 && finish_.size() + begin_.size() > 0) start_one();
      queue.push_back(std::move(task));
      queued_.fetch_add(1, std::memory_order_relaxed);
      const unsigned parked = parked_.load(std::memory_order_relaxed);
      const bool wake_waiter = waiting_ > 0 && finish_.size() + begin_.size() > parked;
      lock.unlock();
      hand_over();
      if (parked > 0) work_.notify_one();
      if (wake_waiter) event_.notify_all();
      return;
    }
    ++running_;
  } else {
    ++running_;
  }
  run(worker, task);
}

void Pool::run(Worker& worker, Task& task) {
  task(worker);
  task = nullptr;  // what it holds (leases) is released before anybody is told
  hand_over();
  if (threads_ == 1) {
    --running_;
    return;
  }
  bool wake = false;
  {
    const std::lock_guard lock(mutex_);
    --running_;
    ++events_;
    wake = waiting_ > 0;
  }
  if (wake) event_.notify_all();
}

bool Pool::take(Lane lowest, Task& task) {
  auto* queue = !finish_.empty() ? &finish_ : (lowest == Lane::Begin && !begin_.empty() ? &begin_ : nullptr);
  if (queue == nullptr) return false;
  task = std::move(queue->front());
  queue->pop_front();
  queued_.fetch_sub(1, std::memory_order_relaxed);
  ++running_;
  return true;
}

bool Pool::help(Worker& worker, Lane lowest) {
  if (threads_ == 1 || queued_.load(std::memory_order_relaxed) == 0) return false;
  Task task;
  {
    const std::lock_guard lock(mutex_);
    if (!take(lowest, task)) return false;
  }
  run(worker, task);
  return true;
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
    Task task;
    {
      std::unique_lock lock(mutex_);
      if (!take(lowest, task)) {
        if (events_ != seen) continue;
        ++waiting_;
        event_.wait(lock,
                    [&] { return events_ != seen || !finish_.empty() || (lowest == Lane::Begin && !begin_.empty()); });
        --waiting_;
        continue;
      }
    }
    run(worker, task);
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
    Task task;
    {
      std::unique_lock lock(mutex_);
      while (!take(Lane::Begin, task)) {
        if (closing_) return;
        parked_.fetch_add(1, std::memory_order_relaxed);
        work_.wait(lock);
        parked_.fetch_sub(1, std::memory_order_relaxed);
      }
    }
    hand_over();
    run(worker, task);
  }
}

unsigned Pool::helpers() const {
  if (threads_ == 1 || queued_.load(std::memory_order_relaxed) > 0) return 0;
  return parked_.load(std::memory_order_relaxed);
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
      finish_.emplace_back([job, self](Worker&) {
        {
          const std::lock_guard inner(self->mutex_);
          ++job->active;
        }
        job->work();
        const std::lock_guard inner(self->mutex_);
        --job->active;
        ++self->events_;
      });
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
