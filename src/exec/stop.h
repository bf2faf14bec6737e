// The one state that ends a run early: the first error, or a wish to stop. Everything that loops or waits looks at it.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>

#include "base/error.h"

namespace cairn::exec {

class Stop {
 public:
  bool requested() const { return requested_.load(std::memory_order_acquire); }

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
    return {};
  }

 private:
  mutable std::mutex mutex_;
  std::optional<Error> error_;
  std::atomic<bool> requested_{false};
};

}  // namespace cairn::exec
