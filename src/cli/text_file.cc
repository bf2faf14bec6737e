#include "cli/text_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace cairn::cli {

Status write_text(const Fd& fd, const std::string& path, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(fd.get(), text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return fail(os_error(errno, path));
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return {};
}

Status write_text_file(const std::string& path, std::string_view text) {
  Fd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (!fd) return fail(os_error(errno, path));
  CAIRN_CHECKED(write_text(fd, path, text));
  if (const int error = fd.close(); error != 0) return fail(os_error(error, path));
  return {};
}

}  // namespace cairn::cli
