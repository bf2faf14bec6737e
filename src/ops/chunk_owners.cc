#include "ops/chunk_owners.h"

#include <algorithm>

namespace cairn::ops {

std::size_t ChunkOwners::slot_of(const ChunkId& id) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = IdHash<ChunkIdTag>()(id) & mask;
  while (slots_[slot] != 0 && rows_[slots_[slot] - 1].id != id) slot = (slot + 1) & mask;
  return slot;
}

void ChunkOwners::grow() {
  slots_.assign(std::max<std::size_t>(1024, slots_.size() * 2), 0);
  for (std::size_t i = 0; i < rows_.size(); ++i) slots_[slot_of(rows_[i].id)] = static_cast<std::uint32_t>(i + 1);
}

bool ChunkOwners::contains(const ChunkId& id) const { return !slots_.empty() && slots_[slot_of(id)] != 0; }

void ChunkOwners::add(const ChunkId& id, std::uint32_t plain_size, std::uint32_t group) {
  if (4 * (rows_.size() + 1) > 3 * slots_.size()) grow();
  std::uint32_t& slot = slots_[slot_of(id)];
  if (slot == 0) {
    rows_.push_back({.id = id, .plain_size = plain_size, .group = group, .in_first_group = group == 0});
    slot = static_cast<std::uint32_t>(rows_.size());
    return;
  }
  Row& row = rows_[slot - 1];
  row.plain_size = std::max(row.plain_size, plain_size);
  row.in_first_group = row.in_first_group || group == 0;
  if (row.group != group) row.group = kShared;
}

}  // namespace cairn::ops
