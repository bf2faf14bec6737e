// The item metadata stream: cutting it into objects while writing, and joining them while reading.
// Source: docs/format (archive, sections 2.3 and 2.5).
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "archive/item.h"
#include "archive/value_scan.h"
#include "base/buffer.h"
#include "base/error.h"
#include "chunk/cutter.h"

namespace cairn::archive {

// Pointer objects name at most this many objects of the stream.
constexpr std::size_t kIdsPerPointerObject = 524286;

// Stores one object of type 'S' or 'C' and says its id.
using StoreObject = std::function<Result<ChunkId>(char type, Bytes plaintext)>;

// Not thread-safe; items arrive in archive order. Boundaries equal Borg's for equal items.
class ItemStreamWriter {
 public:
  ItemStreamWriter(const chunk::Cutter& item_cutter, StoreObject store);
  Status add(Bytes encoded_item);
  // Stores the rest and the pointer objects; the result is the archive's item_ptrs.
  Result<std::vector<ChunkId>> finish();
  std::uint64_t early_bytes() const { return early_bytes_; }      // of S objects stored before finish()
  std::uint64_t final_bytes() const { return final_bytes_; }      // of S objects stored by finish()
  std::uint64_t pointer_bytes() const { return pointer_bytes_; }  // of C objects

 private:
  Status flush(bool everything);

  const chunk::Cutter& cutter_;
  StoreObject store_;
  Buffer buffer_;
  std::vector<ChunkId> ids_;
  std::uint64_t early_bytes_ = 0, final_bytes_ = 0, pointer_bytes_ = 0;
};

// Splits joined stream bytes into items. Feed S objects in order; items that span objects are put together.
// Not thread-safe.
class ItemDecoder {
 public:
  // `on_item` returns an error to stop. Errors: Integrity, or what on_item returned. After Integrity the bytes from the
  // damaged item on are kept: resynchronize() and feed({}) go on with the next item behind it. After an error of
  // on_item the decoder must not be used further.
  Status feed(Bytes object, const std::function<Status(Item&&)>& on_item);
  Status finish() const;  // Integrity if bytes are left over
  // After a missing or damaged object: drops the partial item and looks for the next item start in what follows.
  void resynchronize();
  std::uint64_t skipped_bytes() const { return skipped_; }  // dropped by searches

 private:
  Result<std::size_t> take_items(Bytes bytes, const std::function<Status(Item&&)>& on_item);
  std::size_t find_item(Bytes bytes);
  void keep(Bytes bytes, std::size_t from);

  Buffer pending_;  // the start of an item that is not complete, or what follows damage
  ValueScan scan_;  // of the item at the front of pending_
  bool searching_ = false;
  bool damaged_ = false;  // pending_ starts with an item that cannot be decoded
  std::uint64_t skipped_ = 0;
};

// Decodes a pointer object (type C) into the ids of S objects.
Result<std::vector<ChunkId>> decode_pointers(Bytes plaintext);

}  // namespace cairn::archive
