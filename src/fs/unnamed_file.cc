#include "fs/unnamed_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "base/env.h"

namespace cairn::fs {
namespace {

// Without a name from the start where the file system can do that.
Result<Fd> open_unnamed_file() {
  const std::string directory = env_nonempty("TMPDIR").value_or("/tmp");
  Fd fd(::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC | O_EXCL, 0600));
  if (fd) return fd;
  std::string path = directory + "/cairn-XXXXXX";
  fd = Fd(::mkostemp(path.data(), O_CLOEXEC));
  if (!fd) return fail(os_error(errno, directory));
  if (::unlink(path.c_str()) != 0) return fail(os_error(errno, path));
  return fd;
}

Status write_whole(const Fd& file, std::uint64_t offset, Bytes bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::pwrite(file.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return fail(os_error(errno, "temporary file"));
    offset += static_cast<std::uint64_t>(count);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return {};
}

}  // namespace

Status spill(Fd& file, std::uint64_t& size, Buffer& buffer) {
  if (!file) {
    CAIRN_TRY(file, open_unnamed_file());
  }
  CAIRN_CHECKED(write_whole(file, size, buffer));
  size += buffer.size();
  buffer.clear();
  return {};
}

Result<std::size_t> read_some(const Fd& file, std::uint64_t offset, MutableBytes out) {
  while (true) {
    const ssize_t count = ::pread(file.get(), out.data(), out.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return fail(os_error(errno, "temporary file"));
    if (count == 0) return fail(Code::Integrity, "a temporary file has become shorter");
    return static_cast<std::size_t>(count);
  }
}

}  // namespace cairn::fs
