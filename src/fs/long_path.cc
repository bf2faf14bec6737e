#include "fs/long_path.h"

#include <fcntl.h>
#include <limits.h>

#include <cerrno>
#include <cstddef>

namespace cairn::fs {

bool fits_one_call(std::string_view name) { return name.size() < PATH_MAX - 64; }

std::string_view without_trailing_slashes(std::string_view path) {
  while (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
  return path;
}

Result<Place> walk_long_path(int directory, const std::string& name, const std::string& shown) {
  std::string_view rest = without_trailing_slashes(name);
  Place place{directory, {}, {}};
  while (!fits_one_call(rest)) {
    const std::size_t slash = rest.substr(0, PATH_MAX - 64).rfind('/');
    if (slash == std::string_view::npos) return fail(os_error(ENAMETOOLONG, shown));
    // Keeps a leading "/" as the piece "/".
    const std::string piece(rest.substr(0, slash == 0 ? 1 : slash));
    Fd next(::openat(place.directory, piece.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!next) return fail(os_error(errno, shown));
    place.holder = std::move(next);
    place.directory = place.holder.get();
    rest.remove_prefix(slash);
    while (!rest.empty() && rest.front() == '/') rest.remove_prefix(1);
  }
  place.name = rest.empty() ? "." : std::string(rest);
  return place;
}

}  // namespace cairn::fs
