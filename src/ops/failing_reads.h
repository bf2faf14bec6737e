// The `fail` chunker: reads of files that fail where a map says so, to see what a backup makes of a broken disk.
//
// Threads   one at a time: the blocks are counted in the order of the calls.
// Source    docs/format (chunkers, section 9).
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "base/error.h"
#include "chunk/params.h"

namespace cairn::ops {

class FailingReads {
 public:
  // Usage for a letter other than r and e.
  static Result<FailingReads> make(const chunk::Params& params);

  // What reading a file of `size` bytes meets: EIO at the first block whose letter is e. Blocks are counted over the
  // whole run, and the last letter stands for all that follow.
  Status read(std::uint64_t size, const std::string& shown);

  // The chunker that cuts what could be read.
  static chunk::Params cutting(const chunk::Params& params);

 private:
  FailingReads(std::string map, std::uint64_t block_size) : map_(std::move(map)), block_size_(block_size) {}

  std::string map_;
  std::uint64_t block_size_;
  std::size_t block_ = 0;
};

}  // namespace cairn::ops
