#include "base/fd.h"

#include <cerrno>

namespace cairn {
int Fd::close() {
  if (fd_ < 0) return 0;
  return ::close(std::exchange(fd_, -1)) == 0 ? 0 : errno;
}
}  // namespace cairn
