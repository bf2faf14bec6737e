#include <linux/fs.h>
#include <sys/ioctl.h>

#include <cerrno>

#include "fs/flags.h"

namespace cairn::fs {
namespace {

constexpr std::uint32_t kMapped = FS_NODUMP_FL | FS_IMMUTABLE_FL | FS_APPEND_FL;

// The kernel's FS_IOC_GETFLAGS is numbered for a long, yet reads and writes an int.
std::optional<std::uint32_t> get_linux(int fd) {
  int flags = 0;
  if (fd < 0 || ::ioctl(fd, FS_IOC_GETFLAGS, &flags) != 0) return std::nullopt;
  return static_cast<std::uint32_t>(flags);
}

int set_linux(int fd, std::uint32_t value) {
  const int flags = static_cast<int>(value);
  return ::ioctl(fd, FS_IOC_SETFLAGS, &flags) == 0 ? 0 : errno;
}

std::uint32_t to_linux(std::uint32_t bsdflags) {
  std::uint32_t flags = 0;
  if ((bsdflags & kFlagNodump) != 0) flags |= FS_NODUMP_FL;
  if ((bsdflags & kFlagImmutable) != 0) flags |= FS_IMMUTABLE_FL;
  if ((bsdflags & kFlagAppend) != 0) flags |= FS_APPEND_FL;
  return flags;
}

}  // namespace

std::optional<std::uint32_t> get_bsdflags(int fd) {
  const auto flags = get_linux(fd);
  if (!flags) return std::nullopt;
  std::uint32_t bsdflags = 0;
  if ((*flags & FS_NODUMP_FL) != 0) bsdflags |= kFlagNodump;
  if ((*flags & FS_IMMUTABLE_FL) != 0) bsdflags |= kFlagImmutable;
  if ((*flags & FS_APPEND_FL) != 0) bsdflags |= kFlagAppend;
  return bsdflags;
}

int set_bsdflags(int fd, std::uint32_t bsdflags) {
  const auto current = get_linux(fd);
  if (!current) return 0;
  const std::uint32_t wanted = (*current & ~kMapped) | to_linux(bsdflags);
  if (wanted == *current) return 0;
  int error = set_linux(fd, wanted);
  if (error == EPERM) {
    const std::uint32_t modest = (*current & ~std::uint32_t{FS_NODUMP_FL}) | (wanted & FS_NODUMP_FL);
    error = modest == *current ? 0 : set_linux(fd, modest);
  }
  return error == EOPNOTSUPP || error == ENOTTY ? 0 : error;
}

}  // namespace cairn::fs
