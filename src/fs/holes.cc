// Where the data of a sparse file is.
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "fs/node.h"

namespace cairn::fs {

Result<DataRange> next_data(int fd, std::uint64_t offset, std::uint64_t size, const std::string& shown) {
  if (offset >= size) return DataRange{size, size};
  const off_t start = ::lseek(fd, static_cast<off_t>(offset), SEEK_DATA);
  if (start < 0) {
    switch (errno) {
      case ENXIO:  // no data from here on
        return DataRange{size, size};
      case EINVAL:
      case EOPNOTSUPP:
      case ESPIPE:
        return DataRange{offset, size};
      default:
        return fail(os_error(errno, shown));
    }
  }
  if (static_cast<std::uint64_t>(start) >= size) return DataRange{size, size};
  const off_t end = ::lseek(fd, start, SEEK_HOLE);
  // A failure here is a file that shrank meanwhile; reading it will show.
  const std::uint64_t stop = end < 0 ? size : std::min(static_cast<std::uint64_t>(end), size);
  return DataRange{static_cast<std::uint64_t>(start), stop};
}

}  // namespace cairn::fs
