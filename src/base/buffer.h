// A growable byte buffer that never zeroes what it hands out.
//
// std::vector<std::byte> writes zeros on resize; at chunk sizes that is a whole extra pass over memory. Buffer keeps
// its capacity when cleared, so a recycled Buffer costs no page faults. Not thread-safe; movable.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

#include "base/bytes.h"

namespace cairn {

class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(std::size_t size) { resize(size); }
  Buffer(Buffer&& other) noexcept
      : data_(std::move(other.data_)),
        size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    data_ = std::move(other.data_);
    size_ = std::exchange(other.size_, 0);
    capacity_ = std::exchange(other.capacity_, 0);
    return *this;
  }

  std::byte* data() { return data_.get(); }
  const std::byte* data() const { return data_.get(); }
  std::size_t size() const { return size_; }
  std::size_t capacity() const { return capacity_; }
  bool empty() const { return size_ == 0; }
  void clear() { size_ = 0; }

  // New bytes are uninitialised; old ones keep their values. Growth is by at least half, so appending is linear.
  void resize(std::size_t size) {
    if (size > capacity_) reserve(std::max(size, capacity_ + capacity_ / 2));
    size_ = size;
  }
  void reserve(std::size_t capacity);
  void append(Bytes bytes) {
    if (bytes.empty()) return;
    const std::size_t old = size_;
    if (old + bytes.size() > capacity_) reserve(old + bytes.size() + capacity_ / 2);
    size_ = old + bytes.size();
    std::memcpy(data_.get() + old, bytes.data(), bytes.size());
  }
  void push_back(std::byte value) { append(Bytes(&value, 1)); }

  operator Bytes() const { return {data_.get(), size_}; }   // NOLINT: a view of itself is what a buffer is
  operator MutableBytes() { return {data_.get(), size_}; }  // NOLINT
  Bytes view() const { return {data_.get(), size_}; }
  Bytes view(std::size_t offset, std::size_t count) const { return view().subspan(offset, count); }
  MutableBytes span() { return {data_.get(), size_}; }

 private:
  struct Free {
    void operator()(std::byte* p) const { std::free(p); }
  };
  std::unique_ptr<std::byte, Free> data_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace cairn
