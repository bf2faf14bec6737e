// Which groups of archives use a chunk: one number a chunk, however many archives there are.
//
// Memory    44 bytes a chunk and 4-byte slots at a load of at most 3/4.
// Threads   not thread-safe.
#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.h"

namespace cairn::ops {

class ChunkOwners {
 public:
  static constexpr std::uint32_t kShared = UINT32_MAX;  // used by two groups or more

  struct Row {
    ChunkId id;
    std::uint32_t plain_size = 0;  // 0 for metadata
    std::uint32_t group = 0;       // or kShared
    bool in_first_group = false;   // group 0 is among its users
  };

  void add(const ChunkId& id, std::uint32_t plain_size, std::uint32_t group);
  bool contains(const ChunkId& id) const;
  const std::vector<Row>& rows() const { return rows_; }

 private:
  std::size_t slot_of(const ChunkId& id) const;  // where it is, or where it goes
  void grow();

  std::vector<Row> rows_;
  std::vector<std::uint32_t> slots_;  // row number + 1; 0 = free
};

}  // namespace cairn::ops
