#include "repo/chunk_index.h"

#include <algorithm>
#include <bit>

#include "base/check.h"

namespace cairn::repo {
namespace {

// The first byte chooses the shard; the next eight are as good as any hash.
std::uint64_t slot_hash(const ChunkId& id) { return load_le<std::uint64_t>(id.raw.data() + 1); }

constexpr std::size_t kRowSize = 80;
constexpr std::size_t kRowPack = 40;
constexpr std::size_t kRowOffset = 72;
constexpr std::size_t kRowSizeField = 76;

}  // namespace

ChunkIndex::ChunkIndex() = default;

ChunkIndex::Entry* ChunkIndex::Shard::find(const ChunkId& id) const {
  if (slots.empty()) return nullptr;
  const std::size_t mask = slots.size() - 1;
  for (std::size_t slot = slot_hash(id) & mask; slots[slot] != 0; slot = (slot + 1) & mask) {
    Entry& entry = at(slots[slot] - 1);
    if (entry.id == id) return &entry;
  }
  return nullptr;
}

void ChunkIndex::Shard::grow_slots(std::size_t wanted_entries) {
  const std::size_t wanted = std::bit_ceil(std::max<std::size_t>(64, wanted_entries * 4 / 3 + 1));
  if (wanted <= slots.size()) return;
  std::vector<std::uint32_t> grown(wanted, 0);
  const std::size_t mask = wanted - 1;
  for (std::uint32_t number = 0; number < entries; ++number) {
    std::size_t slot = slot_hash(at(number).id) & mask;
    while (grown[slot] != 0) slot = (slot + 1) & mask;
    grown[slot] = number + 1;
  }
  slots = std::move(grown);
}

ChunkIndex::Entry& ChunkIndex::Shard::add(const ChunkId& id) {
  if (slots.empty() || entries + 1 > slots.size() / 4 * 3) grow_slots(entries * 2 + 1);
  if (entries == blocks.size() * kBlockEntries)
    blocks.push_back(std::make_unique_for_overwrite<Entry[]>(kBlockEntries));
  const auto number = static_cast<std::uint32_t>(entries++);
  const std::size_t mask = slots.size() - 1;
  std::size_t slot = slot_hash(id) & mask;
  while (slots[slot] != 0) slot = (slot + 1) & mask;
  slots[slot] = number + 1;
  Entry& entry = at(number);
  entry = Entry{};
  entry.id = id;
  ++live;
  return entry;
}

std::size_t ChunkIndex::size() const {
  std::size_t total = 0;
  for (const Shard& shard : shards_) {
    const std::lock_guard lock(shard.mutex);
    total += shard.live;
  }
  return total;
}

std::size_t ChunkIndex::memory_bytes() const {
  std::size_t total = sizeof *this;
  for (const Shard& shard : shards_) {
    const std::lock_guard lock(shard.mutex);
    total += shard.blocks.size() * kBlockEntries * sizeof(Entry) + shard.slots.capacity() * sizeof(std::uint32_t);
  }
  const std::lock_guard lock(packs_mutex_);
  return total + packs_.capacity() * sizeof(std::optional<PackId>) + pack_numbers_.size() * 64;
}

void ChunkIndex::reserve(std::size_t entries) {
  for (Shard& shard : shards_) {
    const std::lock_guard lock(shard.mutex);
    shard.grow_slots(entries / kShards + entries / kShards / 16);
  }
}

bool ChunkIndex::contains(const ChunkId& id) const {
  const Shard& shard = shard_of(id);
  const std::lock_guard lock(shard.mutex);
  const Entry* entry = shard.find(id);
  return entry != nullptr && !entry->gone;
}

std::optional<Location> ChunkIndex::find(const ChunkId& id) const {
  Entry copy;
  {
    const Shard& shard = shard_of(id);
    const std::lock_guard lock(shard.mutex);
    const Entry* entry = shard.find(id);
    if (entry == nullptr || entry->gone || !entry->placed) return std::nullopt;
    copy = *entry;
  }
  const auto pack = pack_name(copy.pack);
  if (!pack) return std::nullopt;
  return Location{*pack, copy.offset, copy.size};
}

std::optional<std::uint32_t> ChunkIndex::plain_size(const ChunkId& id) const {
  const Shard& shard = shard_of(id);
  const std::lock_guard lock(shard.mutex);
  const Entry* entry = shard.find(id);
  if (entry == nullptr || entry->gone || entry->plain_size == 0) return std::nullopt;
  return entry->plain_size;
}

bool ChunkIndex::claim(const ChunkId& id, std::uint32_t plain_size) {
  Shard& shard = shard_of(id);
  const std::lock_guard lock(shard.mutex);
  Entry* entry = shard.find(id);
  if (entry != nullptr && !entry->gone) return false;
  if (entry == nullptr) {
    entry = &shard.add(id);
  } else {
    *entry = Entry{};
    entry->id = id;
    ++shard.live;
  }
  entry->plain_size = plain_size & 0x1ffffffU;
  return true;
}

void ChunkIndex::place(const ChunkId& id, PackNumber pack, std::uint32_t offset, std::uint32_t size) {
  Shard& shard = shard_of(id);
  const std::lock_guard lock(shard.mutex);
  Entry* entry = shard.find(id);
  CAIRN_CHECK(entry != nullptr && !entry->gone, "only a claimed chunk is placed");
  entry->pack = pack;
  entry->offset = offset;
  entry->size = size;
  entry->placed = 1;
}

PackNumber ChunkIndex::pack_number(const PackId& pack) {
  const std::lock_guard lock(packs_mutex_);
  const auto [found, inserted] = pack_numbers_.try_emplace(pack, static_cast<PackNumber>(packs_.size()));
  if (inserted) packs_.emplace_back(pack);
  return found->second;
}

PackNumber ChunkIndex::new_pack() {
  const std::lock_guard lock(packs_mutex_);
  packs_.emplace_back(std::nullopt);
  return static_cast<PackNumber>(packs_.size() - 1);
}

void ChunkIndex::name_pack(PackNumber number, const PackId& pack) {
  const std::lock_guard lock(packs_mutex_);
  packs_[number] = pack;
  pack_numbers_.try_emplace(pack, number);
}

std::optional<PackId> ChunkIndex::pack_name(PackNumber number) const {
  const std::lock_guard lock(packs_mutex_);
  return packs_[number];
}

void ChunkIndex::insert(const ChunkId& id, const Location& location) {
  const PackNumber pack = pack_number(location.pack);
  Shard& shard = shard_of(id);
  const std::lock_guard lock(shard.mutex);
  Entry* entry = shard.find(id);
  if (entry == nullptr) {
    entry = &shard.add(id);
  } else if (entry->gone) {
    *entry = Entry{};
    entry->id = id;
    ++shard.live;
  }
  entry->pack = pack;
  entry->offset = location.offset;
  entry->size = location.size;
  entry->placed = 1;
}

void ChunkIndex::insert_rows(Bytes rows) {
  const std::size_t count = rows.size() / kRowSize;
  // Rows of one shard together, so that each shard is locked once and its slots stay in cache.
  std::array<std::uint32_t, kShards + 1> starts{};
  for (std::size_t i = 0; i < count; ++i) ++starts[(std::to_integer<std::size_t>(rows[i * kRowSize]) >> 2U) + 1];
  for (std::size_t s = 0; s < kShards; ++s) starts[s + 1] += starts[s];
  std::vector<std::uint32_t> order(count);
  {
    auto next = starts;
    for (std::size_t i = 0; i < count; ++i) {
      order[next[std::to_integer<std::size_t>(rows[i * kRowSize]) >> 2U]++] = static_cast<std::uint32_t>(i);
    }
  }
  // Rows are in hash order, so neighbours name different packs: a small memo spares most looks into the shared map.
  struct Memo {
    PackId pack;
    PackNumber number = ~PackNumber{0};
  };
  constexpr std::size_t kMemos = 131072;
  std::vector<Memo> memos(std::min(kMemos, std::bit_ceil(count + 1)));
  auto number_of = [&](const std::byte* raw) {
    Memo& memo = memos[load_le<std::uint64_t>(raw) & (memos.size() - 1)];
    if (memo.number == ~PackNumber{0} || std::memcmp(memo.pack.raw.data(), raw, 32) != 0) {
      memo.pack = PackId::copy(raw);
      memo.number = pack_number(memo.pack);
    }
    return memo.number;
  };
  // Callers side by side begin at different shards, or they would queue at each of them.
  const std::size_t first = count > 0 ? std::to_integer<std::size_t>(rows[1]) % kShards : 0;
  for (std::size_t turn = 0; turn < kShards; ++turn) {
    const std::size_t s = (first + turn) % kShards;
    Shard& shard = shards_[s];
    const std::lock_guard lock(shard.mutex);
    const std::size_t rows_here = starts[s + 1] - starts[s];
    if (rows_here == 0) continue;
    shard.grow_slots(shard.entries + rows_here);
    constexpr std::uint32_t kAhead = 8;
    for (std::uint32_t k = starts[s]; k < starts[s + 1]; ++k) {
      if (k + kAhead < starts[s + 1]) {
        const std::byte* later = rows.data() + order[k + kAhead] * kRowSize;
        __builtin_prefetch(later);
        __builtin_prefetch(later + 64);
      }
      const std::byte* row = rows.data() + order[k] * kRowSize;
      const ChunkId id = ChunkId::copy(row);
      Entry* entry = shard.find(id);
      if (entry == nullptr) {
        entry = &shard.add(id);
      } else if (entry->gone) {
        entry->gone = 0;
        ++shard.live;
      }
      entry->pack = number_of(row + kRowPack);
      entry->offset = load_le<std::uint32_t>(row + kRowOffset);
      entry->size = load_le<std::uint32_t>(row + kRowSizeField);
      entry->placed = 1;
    }
  }
}

bool ChunkIndex::erase(const ChunkId& id) {
  Shard& shard = shard_of(id);
  const std::lock_guard lock(shard.mutex);
  Entry* entry = shard.find(id);
  if (entry == nullptr || entry->gone) return false;
  entry->gone = 1;
  --shard.live;
  return true;
}

ChunkIndex::Erased ChunkIndex::erase_packs(const std::function<bool(const PackId&)>& gone) {
  Erased erased;
  std::vector<bool> marked;
  {
    const std::lock_guard lock(packs_mutex_);
    marked.resize(packs_.size());
    for (std::size_t i = 0; i < packs_.size(); ++i) marked[i] = packs_[i] && gone(*packs_[i]);
  }
  erased.packs = static_cast<std::size_t>(std::ranges::count(marked, true));
  if (erased.packs == 0) return erased;
  for (Shard& shard : shards_) {
    const std::lock_guard lock(shard.mutex);
    for (std::uint32_t i = 0; i < shard.entries; ++i) {
      Entry& entry = shard.at(i);
      if (entry.gone || !entry.placed || !marked[entry.pack]) continue;
      entry.gone = 1;
      --shard.live;
      ++erased.entries;
    }
  }
  return erased;
}

void ChunkIndex::clear() {
  for (Shard& shard : shards_) {
    const std::lock_guard lock(shard.mutex);
    shard.blocks.clear();
    shard.slots.clear();
    shard.entries = shard.live = 0;
  }
  const std::lock_guard lock(packs_mutex_);
  packs_.clear();
  pack_numbers_.clear();
}

bool ChunkIndex::mark_used(const ChunkId& id, std::uint32_t plain_size) {
  Shard& shard = shard_of(id);
  const std::lock_guard lock(shard.mutex);
  Entry* entry = shard.find(id);
  if (entry == nullptr || entry->gone) return false;
  entry->used = 1;
  if (plain_size > 0) entry->plain_size = plain_size & 0x1ffffffU;
  return true;
}

void ChunkIndex::clear_used() {
  for (Shard& shard : shards_) {
    const std::lock_guard lock(shard.mutex);
    for (std::uint32_t i = 0; i < shard.entries; ++i) shard.at(i).used = 0;
  }
}

bool ChunkIndex::is_used(const ChunkId& id) const {
  const Shard& shard = shard_of(id);
  const std::lock_guard lock(shard.mutex);
  const Entry* entry = shard.find(id);
  return entry != nullptr && !entry->gone && entry->used;
}

void ChunkIndex::for_each(const std::function<void(const Entry&)>& visit) const {
  for (const Shard& shard : shards_) {
    for (std::uint32_t i = 0; i < shard.entries; ++i) {
      const Entry& entry = shard.at(i);
      if (!entry.gone) visit(entry);
    }
  }
}

}  // namespace cairn::repo
