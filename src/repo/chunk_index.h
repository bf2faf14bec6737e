// The chunk index in memory: which object is where. The only thing that grows with the repository.
//
// Memory    48 bytes an entry in blocks that never move, plus 4-byte slots at a load of at most 3/4: 63 bytes a chunk
//           for a million chunks in 40,000 packs (bench/index_load), no second copy while growing.
// Threads   every member is safe from any thread, except where noted. Shards by the first bits of the id.
// Packs     are numbered; a pack that is being filled has a number before it has a name. An entry in a pack without
// name is
//           pending: known for deduplication, but not yet to be written into a fragment.
// Source    docs/format (repository, section 6.1).
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/bytes.h"

namespace cairn::repo {

struct Location {
  PackId pack;
  std::uint32_t offset = 0;
  std::uint32_t size = 0;  // of the whole object
  friend auto operator<=>(const Location&, const Location&) = default;
};

using PackNumber = std::uint32_t;

class ChunkIndex {
 public:
  struct Entry {
    ChunkId id;
    PackNumber pack = 0;
    std::uint32_t offset = 0;
    std::uint32_t size = 0;             // of the whole object
    std::uint32_t plain_size : 25 = 0;  // 0 = not known
    std::uint32_t used : 1 = 0;         // marked by compaction
    std::uint32_t gone : 1 = 0;         // erased; the slot is kept
    std::uint32_t placed : 1 = 0;       // has a pack, offset and size
  };

  ChunkIndex();
  ChunkIndex(const ChunkIndex&) = delete;
  ChunkIndex& operator=(const ChunkIndex&) = delete;

  std::size_t size() const;
  std::size_t memory_bytes() const;
  // Makes room for `entries` in all.
  void reserve(std::size_t entries);

  bool contains(const ChunkId& id) const;
  // Where it is stored; nothing if unknown or still pending.
  std::optional<Location> find(const ChunkId& id) const;
  // Plaintext size if known.
  std::optional<std::uint32_t> plain_size(const ChunkId& id) const;

  // Exactly one caller gets true for an unknown id; it must place() it or stop the run.
  bool claim(const ChunkId& id, std::uint32_t plain_size);
  void place(const ChunkId& id, PackNumber pack, std::uint32_t offset, std::uint32_t size);

  PackNumber pack_number(const PackId& pack);  // the number of a stored pack
  PackNumber new_pack();                       // of one that is being filled
  void name_pack(PackNumber number, const PackId& pack);
  std::optional<PackId> pack_name(PackNumber number) const;

  // Adds or replaces. Rows as in an index fragment: id[32] flags u32 size u32 pack[32] offset u32 size u32.
  void insert(const ChunkId& id, const Location& location);
  void insert_rows(Bytes rows);
  bool erase(const ChunkId& id);
  struct Erased {
    std::size_t packs = 0, entries = 0;
  };
  // Erases the entries of all named packs for which `gone` says so.
  Erased erase_packs(const std::function<bool(const PackId&)>& gone);
  void clear();

  // Returns false if the id is unknown. Remembers the plaintext size for statistics if given.
  bool mark_used(const ChunkId& id, std::uint32_t plain_size);
  void clear_used();
  bool is_used(const ChunkId& id) const;

  // Visits all live entries; no other thread may change the index meanwhile.
  void for_each(const std::function<void(const Entry&)>& visit) const;

 private:
  static constexpr std::size_t kShards = 64;
  static constexpr std::size_t kBlockEntries = 1024;

  struct Shard {
    mutable std::mutex mutex;
    std::vector<std::unique_ptr<Entry[]>> blocks;
    std::size_t entries = 0;  // used in blocks, gone ones included
    std::size_t live = 0;
    std::vector<std::uint32_t> slots;  // entry number + 1; 0 = free

    Entry& at(std::uint32_t number) const { return blocks[number / kBlockEntries][number % kBlockEntries]; }
    Entry* find(const ChunkId& id) const;
    Entry& add(const ChunkId& id);
    void grow_slots(std::size_t wanted_entries);
  };
  Shard& shard_of(const ChunkId& id) const { return shards_[std::to_integer<std::size_t>(id.raw[0]) >> 2U]; }

  mutable std::array<Shard, kShards> shards_;
  mutable std::mutex packs_mutex_;
  std::vector<std::optional<PackId>> packs_;
  std::unordered_map<PackId, PackNumber> pack_numbers_;
};

}  // namespace cairn::repo
