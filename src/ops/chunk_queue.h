// Chunks fetched ahead, in the order in which they were asked for: for whoever wants content as one sequence of bytes
// over any number of files (tar archives, cutting again).
//
// Unlike ChunkStream the consumer pushes what it wants as it learns of it, and buffers are used again.
// Memory    `limit` bytes of plaintext ahead, or one chunk.
// Threads   belongs to one thread, the pool's owner or a task in the Begin lane; objects are read, opened and
//           decompressed by the pool's workers.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "archive/item.h"
#include "base/error.h"
#include "exec/pool.h"
#include "ops/chunk_stream.h"
#include "repo/repository.h"

namespace cairn::ops {

class ChunkQueue {
 public:
  ChunkQueue(repo::Repository& repository, exec::Pool& pool, exec::Worker& worker, repo::Verify verify,
             std::size_t limit);
  ~ChunkQueue();  // waits for what is under way
  ChunkQueue(const ChunkQueue&) = delete;
  ChunkQueue& operator=(const ChunkQueue&) = delete;

  bool empty() const { return ahead_.empty(); }
  bool has_room(std::size_t size) const;
  void push(const archive::ChunkRef& chunk);

  struct Chunk {
    archive::ChunkRef wanted;
    Result<Buffer> plain;
  };
  Chunk pop();  // the oldest; there must be one
  void give_back(Buffer buffer);

 private:
  struct Slot {
    std::mutex mutex;
    bool ready = false;
    archive::ChunkRef wanted;
    Result<Buffer> plain = Buffer();
  };
  void wait(Slot& slot);

  repo::Repository& repository_;
  exec::Pool& pool_;
  exec::Worker& worker_;
  Fetchers fetchers_;
  const repo::Verify verify_;
  const std::size_t limit_;
  std::size_t bytes_ = 0;
  std::deque<std::shared_ptr<Slot>> ahead_;
  std::vector<Buffer> free_;
};

// What a run may fetch ahead: a part of the usual budget.
std::size_t fetch_ahead_bytes(const exec::Pool& pool);

// How reading content goes on after an error of one chunk: it is missing, or damaged. Others end the run.
bool is_missing_chunk(const Error& error);
bool is_damaged_chunk(const Error& error);
// Says at ERROR level what is wrong with the chunk, in Borg's words, and makes it zeros.
Buffer zeros_for_bad_chunk(const archive::ChunkRef& chunk, const Error& error);
// The warning about a file that has such chunks.
Error damaged_chunks_warning(const std::string& path, std::uint64_t count);

}  // namespace cairn::ops
