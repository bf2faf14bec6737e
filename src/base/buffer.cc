#include "base/buffer.h"

#include <sys/mman.h>

#include <cstdint>

#include "base/check.h"

namespace cairn {

void Buffer::reserve(std::size_t capacity) {
  if (capacity <= capacity_) return;
  void* grown = std::realloc(data_.get(), capacity);  // NOLINT: realloc may move whole pages instead of copying them
  CAIRN_CHECK(grown != nullptr, "out of memory");
  (void)data_.release();
  data_.reset(static_cast<std::byte*>(grown));
  capacity_ = capacity;
  // Large buffers are filled from end to end: huge pages save hundreds of page faults each.
  constexpr std::size_t kHuge = std::size_t{2} << 20U;
  if (capacity >= 2 * kHuge) {
    const auto start = (reinterpret_cast<std::uintptr_t>(grown) + kHuge - 1) / kHuge * kHuge;  // NOLINT
    const auto end = (reinterpret_cast<std::uintptr_t>(grown) + capacity) / kHuge * kHuge;     // NOLINT
    (void)::madvise(reinterpret_cast<void*>(start), end - start, MADV_HUGEPAGE);               // NOLINT
  }
}

}  // namespace cairn
