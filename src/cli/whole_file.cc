#include "cli/whole_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "base/fd.h"

namespace cairn::cli {

// The size is not asked for: what is read may be a pipe.
Result<Buffer> read_whole_file(const std::string& path) {
  constexpr std::size_t kPiece = std::size_t{1} << 20U;
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return fail(os_error(errno, path));
  Buffer content;
  for (;;) {
    const std::size_t have = content.size();
    content.resize(have + kPiece);
    const ssize_t size = ::read(fd.get(), content.data() + have, kPiece);
    content.resize(have + (size > 0 ? static_cast<std::size_t>(size) : 0));
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return fail(os_error(errno, path));
    if (size == 0) return content;
  }
}

}  // namespace cairn::cli
