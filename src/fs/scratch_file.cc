#include "fs/scratch_file.h"

#include <algorithm>
#include <cstring>

#include "fs/unnamed_file.h"

namespace cairn::fs {

Status ScratchFile::write(Bytes bytes) {
  size_ += bytes.size();
  buffer_.append(bytes);
  return buffer_.size() >= buffer_size_ ? spill(fd_, stored_, buffer_) : Status();
}

Status ScratchFile::rewind() {
  // What never left the buffer is read from there.
  if (stored_ == 0) return {};
  CAIRN_CHECKED(spill(fd_, stored_, buffer_));
  buffer_ = Buffer();
  stored_ = 0;
  return {};
}

Status ScratchFile::read(MutableBytes out) {
  if (out.size() > size_ - position_) return fail(Code::Integrity, "a temporary file ends too early");
  while (!out.empty()) {
    if (buffer_next_ == buffer_.size()) {
      buffer_.resize(buffer_size_);
      CAIRN_TRY(const std::size_t count, read_some(fd_, stored_, buffer_));
      buffer_.resize(count);
      stored_ += count;
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
