// Filling packs from many workers at once.
//
// A worker reserves a range of the filling pack, seals its object straight into it, and commits the range. When a pack
// is full and its last open range is committed, the worker that did so names it (BLAKE3 of all bytes), stores it and
// gives the buffer back. Packs fill in completion order; the format does not care.
//
// Memory    at most `buffers` pack buffers exist; reserve() waits for one (back-pressure). It never waits for queued
// work:
//           whoever holds an open range goes on to commit it without waiting.
// Threads   safe from any thread.
// Errors    the first error of the store is returned to everybody from then on; nothing of a failed pack is indexed.
// Source    docs/format (repository, section 4.1).
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "base/buffer.h"
#include "base/error.h"
#include "exec/spare.h"
#include "repo/chunk_index.h"
#include "store/store.h"

namespace cairn::repo {

struct PackLimits {
  std::uint64_t max_size = 50'000'000;          // a pack is closed when it reaches this
  std::uint64_t max_count = ~std::uint64_t{0};  // or holds this many objects
  unsigned buffers = 2;
};
// BORG_PACK_MAX_SIZE and BORG_PACK_MAX_COUNT. Usage errors.
Result<PackLimits> pack_limits_from_environment(unsigned threads);

class PackWriter {
 public:
  // `may_store` is asked before each pack is stored: writing goes on for hours after a lock is lost otherwise.
  PackWriter(store::Store& store, ChunkIndex& index, const PackLimits& limits, std::function<Status()> may_store = {});
  ~PackWriter();

  struct Range {
    struct Pack* pack = nullptr;
    std::uint32_t offset = 0;
    MutableBytes bytes;
    bool fills_pack = false;  // no other range follows in this pack
  };
  // A range of exactly `size` bytes for the object `id`. Every range must be committed or abandoned.
  Result<Range> reserve(const ChunkId& id, std::size_t size);
  Status commit(const Range& range, const exec::Spare& spare = exec::no_spare());
  void abandon(const Range& range, Error error);  // the pack, and with it the run, fails

  // Closes the filling pack, however small, and returns when all packs are stored. No range of the caller may be open.
  Status flush();

  // Rows of stored objects that no fragment holds yet. Taking them hands the duty to write them to the caller.
  Buffer take_unsaved_rows();
  std::uint64_t stored_packs() const;
  std::uint64_t stored_bytes() const;

 private:
  Status close_and_store(std::unique_lock<std::mutex>& lock, Pack* pack, const exec::Spare& spare);
  Status failed() const;

  store::Store& store_;
  ChunkIndex& index_;
  const PackLimits limits_;
  const std::function<Status()> may_store_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::unique_ptr<Pack>> packs_;  // all buffers
  std::vector<Pack*> free_;
  Pack* filling_ = nullptr;
  unsigned busy_ = 0;  // closed packs not yet stored
  std::optional<Error> error_;
  Buffer unsaved_rows_;
  std::uint64_t stored_packs_ = 0, stored_bytes_ = 0;
};

}  // namespace cairn::repo
