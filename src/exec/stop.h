// The one state that ends a run early: the first error, or Ctrl-C. Everything that loops or waits looks at it.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>

#include "base/error.h"

namespace cairn::exec {

class Stop {
 public:
  // With a flag, that becomes true on Ctrl-C, the run is stopped at whatever point it looks next.
  explicit Stop(const std::atomic<bool>* interrupted = nullptr) : interrupted_(interrupted) {}

  bool requested() const { return requested_.load(std::memory_order_acquire) || interrupted(); }

  // The first error wins; later ones are consequences.
  void fail(Error error) {
    {
      const std::lock_guard lock(mutex_);
      if (!error_) error_.emplace(std::move(error));
    }
    requested_.store(true, std::memory_order_release);
  }

  // The error to report, once everything has come to rest.
  Status result() const {
    const std::lock_guard lock(mutex_);
    if (error_) return std::unexpected<Error>(error_->clone());
    if (interrupted()) return cairn::fail(Code::Interrupted, "Got Ctrl-C / SIGINT.");
    return {};
  }

 private:
  bool interrupted() const { return interrupted_ != nullptr && interrupted_->load(std::memory_order_relaxed); }

  const std::atomic<bool>* interrupted_;
  mutable std::mutex mutex_;
  std::optional<Error> error_;
  std::atomic<bool> requested_{false};
};

}  // namespace cairn::exec
