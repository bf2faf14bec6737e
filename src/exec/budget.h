// Bounded memory: a byte budget that hands out recycled buffers.
//
// Everything in flight holds a Lease. Buffers are kept on a last-in-first-out list and never returned to the allocator
// during a run: a fresh 8 MiB block costs thousands of page faults.
//
// Waiting   acquire() helps with Finish tasks until enough is free; leases end when Finish tasks end, so it cannot
// hang.
//           A request above the whole budget is granted when it is alone.
// Threads   safe from any thread of the pool. A Lease may be released on any thread.
#pragma once

#include <cstddef>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

#include "base/buffer.h"
#include "exec/pool.h"

namespace cairn::exec {

class Budget;

// Move-only: a buffer of at least the requested size and its share of the budget.
class Lease {
 public:
  Lease() = default;
  Lease(Lease&& other) noexcept
      : budget_(std::exchange(other.budget_, nullptr)), bytes_(other.bytes_), buffer_(std::move(other.buffer_)) {}
  Lease& operator=(Lease&& other) noexcept {
    std::swap(budget_, other.budget_);
    std::swap(bytes_, other.bytes_);
    std::swap(buffer_, other.buffer_);
    return *this;
  }
  ~Lease();

  Buffer& buffer() { return buffer_; }
  explicit operator bool() const { return budget_ != nullptr; }

 private:
  friend class Budget;
  Lease(Budget* budget, std::size_t bytes, Buffer buffer)
      : budget_(budget), bytes_(bytes), buffer_(std::move(buffer)) {}
  Budget* budget_ = nullptr;
  std::size_t bytes_ = 0;
  Buffer buffer_;
};

class Budget {
 public:
  Budget(Pool& pool, std::size_t limit) : pool_(pool), limit_(limit) {}

  // The buffer's size is `bytes`; its content is whatever it was.
  Lease acquire(Worker& worker, std::size_t bytes);
  std::size_t limit() const { return limit_; }
  std::size_t peak() const;

 private:
  friend class Lease;
  bool grant(std::size_t bytes, Buffer& buffer);
  void release(std::size_t bytes, Buffer buffer);

  Pool& pool_;
  const std::size_t limit_;
  mutable std::mutex mutex_;
  std::size_t used_ = 0;
  std::size_t peak_ = 0;
  std::vector<Buffer> free_;
};

// 16 MiB + 8 MiB per thread, at most a quarter of the memory that the process may use, at least 64 MiB if that allows.
std::size_t default_budget(unsigned threads);

}  // namespace cairn::exec
