#include "ops/chunk_queue.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "base/log.h"
#include "exec/budget.h"

namespace cairn::ops {
namespace {
// Small chunks cost more than their bytes.
constexpr std::size_t kMostChunks = 1024;
constexpr std::size_t kMostFree = 64;
}  // namespace

ChunkQueue::ChunkQueue(repo::Repository& repository, exec::Pool& pool, exec::Worker& worker, repo::Verify verify,
                       std::size_t limit)
    : repository_(repository),
      pool_(pool),
      worker_(worker),
      fetchers_(make_fetchers(repository, pool)),
      verify_(verify),
      limit_(limit) {}

ChunkQueue::~ChunkQueue() {
  for (const auto& slot : ahead_) wait(*slot);
}

bool ChunkQueue::has_room(std::size_t size) const {
  // With one thread nothing is gained by reading ahead.
  if (ahead_.empty()) return true;
  return pool_.threads() > 1 && ahead_.size() < kMostChunks && bytes_ + size <= limit_;
}

void ChunkQueue::push(const archive::ChunkRef& chunk) {
  auto slot = std::make_shared<Slot>();
  slot->wanted = chunk;
  Buffer buffer;
  if (!free_.empty()) {
    buffer = std::move(free_.back());
    free_.pop_back();
  }
  bytes_ += chunk.size;
  ahead_.push_back(slot);
  pool_.submit(worker_, exec::Lane::Finish, [this, slot, plain = std::move(buffer)](exec::Worker& on) mutable {
    Fetcher& fetcher = fetchers_(on);
    auto meta = repository_.load_object(*fetcher.reader, slot->wanted.id, repo::kAnyType, verify_, fetcher.object,
                                        plain, slot->wanted.size);
    {
      const std::lock_guard lock(slot->mutex);
      if (meta) {
        slot->plain = std::move(plain);
      } else if (is_missing_chunk(meta.error()) &&
                 repository_.id_hash().of_zeros(slot->wanted.size) == slot->wanted.id) {
        // Zeros are known without the repository.
        plain.resize(slot->wanted.size);
        std::memset(plain.data(), 0, plain.size());
        slot->plain = std::move(plain);
      } else {
        slot->plain = fail(std::move(meta).error());
      }
      slot->ready = true;
    }
    on.pool().notify();
  });
}

void ChunkQueue::wait(Slot& slot) {
  pool_.wait_until(worker_, exec::Lane::Finish, [&slot] {
    const std::lock_guard lock(slot.mutex);
    return slot.ready;
  });
}

ChunkQueue::Chunk ChunkQueue::pop() {
  const auto slot = ahead_.front();
  wait(*slot);
  ahead_.pop_front();
  bytes_ -= slot->wanted.size;
  return {slot->wanted, std::move(slot->plain)};
}

void ChunkQueue::give_back(Buffer buffer) {
  if (free_.size() < kMostFree) free_.push_back(std::move(buffer));
}

std::size_t fetch_ahead_bytes(const exec::Pool& pool) { return exec::default_budget(pool.threads()) / 2; }

bool is_missing_chunk(const Error& error) {
  return error.code() == Code::ObjectNotFound || error.code() == Code::PackNotFound;
}

bool is_damaged_chunk(const Error& error) {
  return error.code() == Code::Integrity || error.code() == Code::Decompression;
}

Buffer zeros_for_bad_chunk(const archive::ChunkRef& chunk, const Error& error) {
  const std::string what =
      is_missing_chunk(error)
          ? std::string("missing")
          : fmt::format("corrupted ({}: {})",
                        error.code() == Code::Decompression ? "Decompression error" : "Data integrity error",
                        error.message());
  log(Level::Error, "borg.archive",
      fmt::format("repository object {} {}, returning {} zero bytes.", chunk.id.hex(), what, chunk.size));
  Buffer zeros(chunk.size);
  if (!zeros.empty()) std::memset(zeros.data(), 0, zeros.size());
  return zeros;
}

Error damaged_chunks_warning(const std::string& path, std::uint64_t count) {
  return {
      Code::BackupDamagedChunks,
      fmt::format("{}: {} chunk(s) missing or corrupted in the repository, replaced by all-zero data", path, count)};
}

}  // namespace cairn::ops
