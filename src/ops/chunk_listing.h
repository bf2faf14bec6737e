// The chunks of one input, without a repository: how a file would be cut. For debugging and comparisons.
// Memory    a window of some chunks' size, whatever the input's length.
#pragma once

#include <cstdint>
#include <functional>

#include "base/error.h"
#include "chunk/cutter.h"
#include "ops/content.h"

namespace cairn::ops {

struct ListedChunk {
  std::uint64_t size;
  bool is_zero;  // consists of zero bytes
};

// Reads to the end; `found` gets the chunks in order and returns whether to go on. Holes that `source` knows of are not
// read, and long ones not looked at. Errors: reading.
Status list_chunks(Source& source, const chunk::Cutter& cutter, const std::function<bool(const ListedChunk&)>& found);

// A descriptor that is read once from where it stands, such as a pipe.
class PipeSource final : public Source {
 public:
  PipeSource(int fd, std::string shown) : fd_(fd), shown_(std::move(shown)) {}
  Result<std::size_t> read(MutableBytes out) override;

 private:
  const int fd_;
  const std::string shown_;
};

}  // namespace cairn::ops
