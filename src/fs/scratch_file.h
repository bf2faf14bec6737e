// A file without a name for data that does not fit into memory: written from the front to the end, then read once.
//
// It lies in TMPDIR (/tmp otherwise), readable by nobody else, and is gone with the program, however that ends. What
// fits into its buffer never leaves memory.
// Threads   not thread-safe.
// Errors    those of the operating system; Integrity if the file ends before what is asked for.
#pragma once

#include <cstdint>

#include "base/buffer.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/fd.h"

namespace cairn::fs {

class ScratchFile {
 public:
  // `buffer_size` bytes of memory collect small writes and reads.
  explicit ScratchFile(std::size_t buffer_size) : buffer_size_(buffer_size) {}

  Status write(Bytes bytes);
  // Ends the writing; reading starts at the front.
  Status rewind();
  bool at_end() const { return position_ == size_; }
  Status read(MutableBytes out);
  std::uint64_t size() const { return size_; }

 private:
  Fd fd_;  // once there is something to store
  std::size_t buffer_size_;
  Buffer buffer_;                // written, not yet in the file; or read ahead
  std::size_t buffer_next_ = 0;  // what read() takes next
  std::uint64_t size_ = 0;       // of what was written
  std::uint64_t position_ = 0;   // of read()
  std::uint64_t stored_ = 0;     // bytes that have gone to the file, or come from it
};

}  // namespace cairn::fs
