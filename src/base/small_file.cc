#include "base/small_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

namespace cairn {
namespace {

// 0, or the errno.
int write_all(const Fd& file, Bytes bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return written < 0 ? errno : ENOSPC;
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return 0;
}

}  // namespace

Result<std::string> read_up_to(const Fd& file, std::size_t most, const std::string& path) {
  std::string text(most, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const ssize_t got = ::read(file.get(), text.data() + size, text.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail(os_error(errno, path));
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  text.resize(size);
  return text;
}

Status replace_file(const std::string& path, std::span<const Bytes> parts, Synced synced) {
  std::string temporary = path + ".XXXXXX";
  Fd file(::mkostemp(temporary.data(), O_CLOEXEC));
  if (!file) return fail(os_error(errno, temporary));
  int error = 0;
  for (const Bytes part : parts) {
    if (error == 0) error = write_all(file, part);
  }
  if (error == 0 && synced == Synced::Yes && ::fsync(file.get()) != 0) error = errno;
  if (const int closing = file.close(); error == 0) error = closing;
  if (error == 0 && ::rename(temporary.c_str(), path.c_str()) != 0) error = errno;
  if (error == 0) return {};
  ::unlink(temporary.c_str());
  return fail(os_error(error, path));
}

Status replace_file(const std::string& path, std::string_view text, Synced synced) {
  const Bytes bytes = bytes_of(text);
  return replace_file(path, {&bytes, 1}, synced);
}

}  // namespace cairn
