// Opening for reading: never through a final link, and without touching the access time where we may.
#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

#include <cerrno>

#include "fs/long_path.h"
#include "fs/node.h"

namespace cairn::fs {
namespace {

Result<Fd> open_once(int directory, const char* name, int flags, const std::string& shown) {
  for (int attempt_flags = flags | O_CLOEXEC | O_NOATIME;;) {
    Fd fd(::openat(directory, name, attempt_flags));
    if (fd) return fd;
    if (errno == EINTR) continue;
    // O_NOATIME is for owners and root alone.
    if (errno != EPERM || (attempt_flags & O_NOATIME) == 0) return fail(os_error(errno, shown));
    attempt_flags &= ~O_NOATIME;
  }
}

Result<Fd> open_any(int directory, const std::string& name, int flags, const std::string& shown) {
  if (fits_one_call(name)) [[likely]]
    return open_once(directory, name.c_str(), flags, shown);
  CAIRN_TRY(const Place place, walk_long_path(directory, name, shown));
  return open_once(place.directory, place.name.c_str(), flags, shown);
}

}  // namespace

Result<Fd> open_file(int directory, const std::string& name, const std::string& shown) {
  return open_any(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, shown);
}

Result<Fd> open_directory(int directory, const std::string& name, const std::string& shown) {
  return open_any(directory, name, O_RDONLY | O_NOFOLLOW | O_DIRECTORY, shown);
}

Result<Fd> open_path_directory(const std::string& path, bool follow, const std::string& shown) {
  if (follow) return open_any(AT_FDCWD, path, O_RDONLY | O_DIRECTORY, shown);
  return open_any(AT_FDCWD, std::string(without_trailing_slashes(path)), O_RDONLY | O_DIRECTORY | O_NOFOLLOW, shown);
}

Result<std::string> read_link(int directory, const std::string& name, const std::string& shown) {
  Place place{directory, {}, {}};
  const char* last = name.c_str();
  if (!fits_one_call(name)) {
    CAIRN_TRY(place, walk_long_path(directory, name, shown));
    last = place.name.c_str();
  }
  // Linux limits a target to PATH_MAX; a file system that has longer ones gets more room.
  char fixed[512];
  ssize_t size = ::readlinkat(place.directory, last, fixed, sizeof fixed);
  if (size < 0) return fail(os_error(errno, shown));
  if (static_cast<std::size_t>(size) < sizeof fixed) return std::string(fixed, static_cast<std::size_t>(size));
  for (std::size_t room = PATH_MAX + 1; room <= (1U << 20U); room *= 2) {
    std::string target(room, '\0');
    size = ::readlinkat(place.directory, last, target.data(), target.size());
    if (size < 0) return fail(os_error(errno, shown));
    if (static_cast<std::size_t>(size) < room) {
      target.resize(static_cast<std::size_t>(size));
      return target;
    }
  }
  return fail(os_error(ENAMETOOLONG, shown));
}

}  // namespace cairn::fs
