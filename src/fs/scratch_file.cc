#include "fs/scratch_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

#include "base/env.h"

namespace cairn::fs {
namespace {

// Without a name from the start where the file system can do that.
Result<Fd> open_unnamed() {
  const std::string directory = env_nonempty("TMPDIR").value_or("/tmp");
  Fd fd(::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC | O_EXCL, 0600));
  if (fd) return fd;
  std::string path = directory + "/cairn-XXXXXX";
  fd = Fd(::mkostemp(path.data(), O_CLOEXEC));
  if (!fd) return fail(os_error(errno, directory));
  if (::unlink(path.c_str()) != 0) return fail(os_error(errno, path));
  return fd;
}

}  // namespace

Status ScratchFile::flush() {
  if (!fd_) {
    CAIRN_TRY(fd_, open_unnamed());
  }
  Bytes rest = buffer_;
  while (!rest.empty()) {
    const ssize_t count = ::pwrite(fd_.get(), rest.data(), rest.size(), static_cast<off_t>(stored_));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return fail(os_error(errno, "temporary file"));
    stored_ += static_cast<std::uint64_t>(count);
    rest = rest.subspan(static_cast<std::size_t>(count));
  }
  buffer_.clear();
  return {};
}

Status ScratchFile::write(Bytes bytes) {
  size_ += bytes.size();
  buffer_.append(bytes);
  return buffer_.size() >= buffer_size_ ? flush() : Status();
}

Status ScratchFile::rewind() {
  // What never left the buffer is read from there.
  if (stored_ == 0) return {};
  CAIRN_CHECKED(flush());
  buffer_ = Buffer();
  stored_ = 0;
  return {};
}

Status ScratchFile::read(MutableBytes out) {
  if (out.size() > size_ - position_) return fail(Code::Integrity, "a temporary file ends too early");
  while (!out.empty()) {
    if (buffer_next_ == buffer_.size()) {
      buffer_.resize(buffer_size_);
      const ssize_t count = ::pread(fd_.get(), buffer_.data(), buffer_size_, static_cast<off_t>(stored_));
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return fail(os_error(errno, "temporary file"));
      if (count == 0) return fail(Code::Integrity, "a temporary file has become shorter");
      buffer_.resize(static_cast<std::size_t>(count));
      stored_ += static_cast<std::uint64_t>(count);
      buffer_next_ = 0;
    }
    const std::size_t count = std::min(out.size(), buffer_.size() - buffer_next_);
    std::memcpy(out.data(), buffer_.data() + buffer_next_, count);
    buffer_next_ += count;
    position_ += count;
    out = out.subspan(count);
  }
  return {};
}

}  // namespace cairn::fs
