// A file without a name that grows at its end and is read anywhere, for data that does not fit into memory.
//
// What fits into its buffer never leaves memory.
// Threads   not thread-safe.
// Errors    as unnamed_file.h.
#pragma once

#include <cstdint>

#include "base/buffer.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/fd.h"

namespace cairn::fs {

class ScratchLog {
 public:
  explicit ScratchLog(std::size_t buffer_size) : buffer_size_(buffer_size) {}

  Status append(Bytes bytes);
  std::uint64_t size() const { return stored_ + buffer_.size(); }  // where the next bytes go
  Status read(std::uint64_t offset, MutableBytes out) const;

 private:
  Fd fd_;  // once there is something to store
  std::size_t buffer_size_;
  Buffer buffer_;  // the end, not yet in the file
  std::uint64_t stored_ = 0;
};

}  // namespace cairn::fs
