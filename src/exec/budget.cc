#include "exec/budget.h"

#include <unistd.h>

#include <algorithm>

#include "exec/delay.h"

namespace cairn::exec {

Lease::~Lease() {
  if (budget_ != nullptr) budget_->release(bytes_, std::move(buffer_));
}

Lease Budget::acquire(Worker& worker, std::size_t bytes) {
  hand_over();
  Buffer buffer;
  if (!grant(bytes, buffer)) {
    pool_.wait_until(worker, Lane::Finish, [&] { return grant(bytes, buffer); });
  }
  buffer.resize(bytes);
  return {this, bytes, std::move(buffer)};
}

std::size_t Budget::peak() const {
  const std::lock_guard lock(mutex_);
  return peak_;
}

bool Budget::grant(std::size_t bytes, Buffer& buffer) {
  const std::lock_guard lock(mutex_);
  if (used_ > 0 && used_ + bytes > limit_) return false;
  used_ += bytes;
  peak_ = std::max(peak_, used_);
  // The warmest buffer that fits; else the warmest one, which then grows.
  auto found = std::find_if(free_.rbegin(), free_.rend(), [&](const Buffer& b) { return b.capacity() >= bytes; });
  if (found == free_.rend()) found = free_.rbegin();
  if (found != free_.rend()) {
    buffer = std::move(*found);
    free_.erase(std::next(found).base());
  }
  return true;
}

void Budget::release(std::size_t bytes, Buffer buffer) {
  {
    const std::lock_guard lock(mutex_);
    used_ -= bytes;
    free_.push_back(std::move(buffer));
  }
  pool_.notify();
}

std::size_t default_budget(unsigned threads) {
  constexpr std::size_t kMiB = std::size_t{1} << 20U;
  const auto pages = static_cast<std::size_t>(std::max(0L, ::sysconf(_SC_PHYS_PAGES)));
  const auto page = static_cast<std::size_t>(std::max(1L, ::sysconf(_SC_PAGESIZE)));
  const std::size_t wanted = std::max(16 * kMiB + threads * 8 * kMiB, 64 * kMiB);
  return std::clamp(wanted, 16 * kMiB, std::max(16 * kMiB, pages * page / 4));
}

}  // namespace cairn::exec
