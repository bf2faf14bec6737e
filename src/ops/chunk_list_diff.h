// How many bytes of a file's content are new and how many are gone, judged by its lists of chunks.
//
// What both lists have at their ends is cut off; the rest is matched by longest common runs, as Python's difflib does
// it: the longest run, then the same left and right of it. Lists that would take too long are compared as multisets.
// Source: docs/format (archive, section 10).
#pragma once

#include <cstdint>
#include <span>

#include "archive/item.h"

namespace cairn::ops {

struct ByteChange {
  std::uint64_t added = 0, removed = 0;
  friend bool operator==(const ByteChange&, const ByteChange&) = default;
};

ByteChange compare_chunk_lists(std::span<const archive::ChunkRef> before, std::span<const archive::ChunkRef> after);

}  // namespace cairn::ops
