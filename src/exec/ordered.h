// Ordered commit: results come in any order, and are committed one at a time in the order of their numbers.
//
// reserve() gives the next number and waits (helping with Finish tasks) while `window` numbers are open. complete() may
// be called from any thread; whoever completes the oldest open number commits it and all that follow, outside the lock.
// `commit` therefore never runs twice at once and needs no lock of its own.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>

#include "exec/delay.h"
#include "exec/pool.h"

namespace cairn::exec {

template <class T>
class Ordered {
 public:
  Ordered(Pool& pool, std::size_t window, std::function<void(T&&, Worker&)> commit)
      : pool_(pool), window_(window), commit_(std::move(commit)) {}

  // Called by one thread only, in the wanted order.
  std::uint64_t reserve(Worker& worker) {
    auto has_room = [this] {
      const std::lock_guard lock(mutex_);
      return slots_.size() < window_;
    };
    if (!has_room()) pool_.wait_until(worker, Lane::Begin, has_room);
    const std::lock_guard lock(mutex_);
    slots_.emplace_back();
    return first_ + slots_.size() - 1;
  }

  void complete(std::uint64_t number, T&& value, Worker& worker) {
    hand_over();
    std::unique_lock lock(mutex_);
    slots_[static_cast<std::size_t>(number - first_)].emplace(std::move(value));
    if (committing_) return;  // whoever commits now will find it
    committing_ = true;
    bool moved = false;
    while (!slots_.empty() && slots_.front()) {
      T head = std::move(*slots_.front());
      slots_.pop_front();
      ++first_;
      lock.unlock();
      commit_(std::move(head), worker);
      lock.lock();
      moved = true;
    }
    committing_ = false;
    lock.unlock();
    if (moved) pool_.notify();
  }

  std::size_t open() const {
    const std::lock_guard lock(mutex_);
    return slots_.size();
  }

 private:
  Pool& pool_;
  const std::size_t window_;
  std::function<void(T&&, Worker&)> commit_;
  mutable std::mutex mutex_;
  std::deque<std::optional<T>> slots_;
  std::uint64_t first_ = 0;
  bool committing_ = false;
};

}  // namespace cairn::exec
