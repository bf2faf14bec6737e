// Which ranges of a sparse file have data, and the forms in which tar archives say so.
//
// Ranges are sorted, do not overlap and end at real_size at the latest; everything between them is zeros.
// Errors    Integrity.
// Source    GNU tar manual, "Storing Sparse Files".
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"

namespace cairn::tar {

struct DataRange {
  std::uint64_t offset = 0, size = 0;
  friend bool operator==(const DataRange&, const DataRange&) = default;
};

struct SparseMap {
  std::vector<DataRange> data;
  std::uint64_t real_size = 0;
  std::uint64_t stored_bytes() const;
};

// From runs of zeros (sorted, not adjacent): each shrinks to whole blocks, except where it reaches the end.
SparseMap map_without_holes(std::span<const DataRange> zeros, std::uint64_t real_size);

// Version 1.0: the text in front of the data, NUL-padded to whole blocks. A file that ends in a hole has a last range
// of size 0 there.
std::string map_text(const SparseMap& map);

// Sorted, within the size, without overlaps. Empty ranges are removed.
Status check_and_tidy(SparseMap& map);

}  // namespace cairn::tar
