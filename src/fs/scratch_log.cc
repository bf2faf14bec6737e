#include "fs/scratch_log.h"

#include <algorithm>
#include <cstring>

#include "fs/unnamed_file.h"

namespace cairn::fs {

Status ScratchLog::append(Bytes bytes) {
  buffer_.append(bytes);
  return buffer_.size() >= buffer_size_ ? spill(fd_, stored_, buffer_) : Status();
}

Status ScratchLog::read(std::uint64_t offset, MutableBytes out) const {
  if (offset > size() || out.size() > size() - offset) {
    return fail(Code::Integrity, "a temporary file ends too early");
  }
  while (!out.empty() && offset < stored_) {
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), stored_ - offset));
    CAIRN_TRY(const std::size_t count, read_some(fd_, offset, out.first(wanted)));
    offset += count;
    out = out.subspan(count);
  }
  if (!out.empty()) std::memcpy(out.data(), buffer_.data() + (offset - stored_), out.size());
  return {};
}

}  // namespace cairn::fs
