#include <sys/uio.h>
#include <unistd.h>
#include <cerrno>

#include "exec/memory_bound.h"
#include "exec/memory_read.h"

namespace cairn::exec {

ssize_t read_at(int fd, MutableBytes out, std::uint64_t offset, std::size_t touched) {
  const auto position = static_cast<off_t>(offset);
  if (memory_gate().limits(touched)) {
    const MemoryGate::Slot slot = memory_gate().enter();
    const iovec part{.iov_base = out.data(), .iov_len = out.size()};
    const ssize_t count = ::preadv2(fd, &part, 1, position, RWF_NOWAIT);
    // Not in memory; or this file system or kernel cannot tell.
    const bool ask_again = count < 0 && (errno == EAGAIN || errno == EOPNOTSUPP || errno == ENOSYS || errno == EINVAL);
    if (!ask_again) return count;
  }
  return ::pread(fd, out.data(), out.size(), position);
}

}  // namespace cairn::exec
