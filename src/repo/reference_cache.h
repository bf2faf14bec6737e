// Which objects one archive needs, as a table that saves compaction from reading the archive again.
//
// cache/referenced-by-archive.<id>, shared with Borg. A table that is believed decides what is deleted, so it is only
// written from a complete scan; a missing or damaged one means that the archive is scanned.
// Memory    36 bytes a distinct object and 4-byte slots at a load of at most 3/4.
// Threads   a table is not thread-safe; the functions are.
// Source    docs/format (repository, section 9).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "base/buffer.h"
#include "base/bytes.h"
#include "base/error.h"
#include "repo/store_object.h"
#include "store/store.h"

namespace cairn::repo {

class ArchiveReferences {
 public:
  // `plain_size` is 0 for the archive object, the item pointers and the item stream.
  void add(const ChunkId& id, std::uint32_t plain_size);
  void count_item() { ++items_; }
  void count_content(std::uint64_t bytes) { content_bytes_ += bytes; }  // every reference, also repeated ones

  std::uint64_t items() const { return items_; }
  std::uint64_t content_bytes() const { return content_bytes_; }
  std::size_t size() const { return rows_.size() / kRowSize; }
  void for_each(const std::function<void(const ChunkId& id, std::uint32_t plain_size)>& visit) const;

  void encode(Buffer& out) const;
  static Result<ArchiveReferences> decode(Bytes payload);  // Integrity

 private:
  static constexpr std::size_t kRowSize = 36;
  void grow();

  Buffer rows_;
  std::vector<std::uint32_t> slots_;  // row number + 1; 0 = free
  std::uint64_t items_ = 0, content_bytes_ = 0;
};

// Nothing if there is none or it cannot be used; errors are those of the store.
Result<std::optional<ArchiveReferences>> load_references(store::Store& store, StoreObjects& objects,
                                                         const ChunkId& archive);
Status save_references(store::Store& store, StoreObjects& objects, const ChunkId& archive,
                       const ArchiveReferences& references);
// Removes the tables of all archives but `wanted` and says how many.
Result<std::size_t> remove_other_references(store::Store& store, const std::function<bool(const ChunkId&)>& wanted);

}  // namespace cairn::repo
