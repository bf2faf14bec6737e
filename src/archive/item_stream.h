// The item metadata stream: cutting it into objects while writing, and joining them while reading.
// Source: docs/format (archive, sections 2.3 and 2.5).
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "archive/item.h"
#include "base/buffer.h"
#include "base/error.h"
#include "chunk/cutter.h"

namespace cairn::archive {

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
class ItemDecoder {
 public:
  // `on_item` returns an error to stop. Errors: Integrity, or what on_item returned.
  Status feed(Bytes object, const std::function<Status(Item&&)>& on_item);
  Status finish() const;  // Integrity if bytes are left over
  // After a missing or damaged object: drops the partial item and looks for the next item start in what follows.
  void resynchronize();
  std::uint64_t skipped_bytes() const { return skipped_; }

 private:
  Buffer pending_;
  bool searching_ = false;
  std::uint64_t skipped_ = 0;
};

// Decodes a pointer object (type C) into the ids of S objects.
Result<std::vector<ChunkId>> decode_pointers(Bytes plaintext);

}  // namespace cairn::archive
