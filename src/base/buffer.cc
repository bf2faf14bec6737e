#include "base/buffer.h"

#include "base/check.h"

namespace cairn {

void Buffer::reserve(std::size_t capacity) {
  if (capacity <= capacity_) return;
  void* grown = std::realloc(data_.get(), capacity);  // NOLINT: realloc may move whole pages instead of copying them
  CAIRN_CHECK(grown != nullptr, "out of memory");
  (void)data_.release();
  data_.reset(static_cast<std::byte*>(grown));
  capacity_ = capacity;
}

}  // namespace cairn
