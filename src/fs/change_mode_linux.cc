// fchmodat2 where the kernel has it, else the way through /proc/self/fd.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "fs/change_mode.h"
#include "fs/kernel.h"

namespace cairn::fs {

int change_mode(int handle, std::uint32_t mode) {
  if (kernel().fchmodat2.load(std::memory_order_relaxed)) {
    if (::syscall(kFchmodat2, handle, "", mode, AT_EMPTY_PATH) == 0) return 0;
    if (errno != ENOSYS) return errno;
    kernel().fchmodat2.store(false, std::memory_order_relaxed);
  }
  if (kernel().proc.load(std::memory_order_relaxed)) {
    return ::chmod(("/proc/self/fd/" + std::to_string(handle)).c_str(), mode) == 0 ? 0 : errno;
  }
  struct stat st{};
  return ::fstat(handle, &st) == 0 && (st.st_mode & 07777U) == mode ? 0 : EOPNOTSUPP;
}

std::optional<std::uint32_t> give_owner_access(int handle) {
  struct stat st{};
  if (::fstat(handle, &st) != 0 || (st.st_mode & S_IRWXU) == S_IRWXU || st.st_uid != ::geteuid()) return std::nullopt;
  if (change_mode(handle, (st.st_mode & 07777U) | S_IRWXU) != 0) return std::nullopt;
  return st.st_mode & 07777U;
}

}  // namespace cairn::fs
