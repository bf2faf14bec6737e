// Reading one file's content, cutting it into chunks and storing them, side by side with other files and chunks.
//
// A Content belongs to one attempt at one file. The reader cuts and hands chunks to the pool; whoever finishes the last
// part calls `done`. Chunks keep the file's order whatever finishes first. While at least two workers have nothing to
// do, they help to cut: the reader is what the run waits for then. The cuts are the same.
//
// Memory    the bytes in flight are slices of slabs leased from the budget, cut together or not.
// Threads   read_content() runs on one worker; chunk tasks on any.
// Source    docs/format (chunkers, sections 3, 6 and 7; archive, section 4.5).
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "archive/item.h"
#include "base/error.h"
#include "chunk/cutter.h"
#include "exec/budget.h"
#include "exec/pool.h"
#include "exec/stage.h"
#include "exec/stop.h"
#include "hash/digest.h"
#include "repo/chunk_writer.h"

namespace cairn::ops {

// Where bytes come from, in order.
class Source {
 public:
  virtual ~Source() = default;
  // Fills `out` from its start; 0 means the end. Fewer bytes than asked for are no end.
  virtual Result<std::size_t> read(MutableBytes out) = 0;
  // How many zero bytes come next that need not be read (a hole); skip_zeros() passes them.
  virtual Result<std::uint64_t> zeros_ahead() { return 0; }
  virtual void skip_zeros(std::uint64_t /*count*/) {}
};

// A regular file, read with pread from its start; with `sparse` holes are asked for and not read.
class FileSource final : public Source {
 public:
  FileSource(int fd, std::string shown, std::uint64_t size, bool sparse)
      : fd_(fd), shown_(std::move(shown)), size_(size), sparse_(sparse) {}
  Result<std::size_t> read(MutableBytes out) override;
  Result<std::uint64_t> zeros_ahead() override;
  void skip_zeros(std::uint64_t count) override { position_ += count; }

 private:
  const int fd_;
  const std::string shown_;
  const std::uint64_t size_;
  const bool sparse_;
  std::uint64_t position_ = 0;
  std::uint64_t data_start_ = 0, data_end_ = 0;  // the data range known last
};

// Where a chunk ends that starts in zeros and sees nothing else up to the largest size; not for a file's first chunk.
std::size_t zero_cut(const chunk::Cutter& cutter);

// What all files of a run share.
struct ContentContext {
  exec::Pool& pool;
  exec::Budget& budget;
  exec::Stop& stop;
  repo::ChunkWriter& chunks;
  const chunk::Cutter& cutter;
  const exec::Spare* helpers = nullptr;  // for cutting; without, those of the worker that reads
};

class Content : public std::enable_shared_from_this<Content> {
 public:
  using Done = std::move_only_function<void(exec::Worker&)>;

  // Hands out the number of the next chunk and counts it as open.
  std::size_t begin_chunk();
  void end_chunk(std::size_t number, const repo::StoredChunk& chunk, exec::Worker& worker);
  // The reader is through; `done` runs once all chunks are, perhaps at once.
  void finish(Done done, exec::Worker& worker);

  std::vector<archive::ChunkRef>& chunks() { return chunks_; }
  std::uint64_t size() const { return size_; }            // sum of chunk sizes
  std::uint64_t new_bytes() const { return new_bytes_; }  // of chunks that were stored by this run

 private:
  void release(exec::Worker& worker);

  std::mutex mutex_;
  std::vector<archive::ChunkRef> chunks_;
  std::uint64_t size_ = 0, new_bytes_ = 0;
  std::atomic<std::size_t> open_{1};  // the reader and its chunks
  Done done_;
};

// Reads until the end and stores everything. `clock` adds up the time spent in cutting; `digests` see all bytes.
// Errors: reading; repository errors go to the stop state and end the run.
Status read_content(exec::Worker& worker, const ContentContext& context, Source& source,
                    const std::shared_ptr<Content>& content, exec::StageClock& clock,
                    std::vector<hash::Digest>& digests);

// The same for content that is known to be one chunk and is at hand.
Status store_single(exec::Worker& worker, const ContentContext& context, Bytes bytes,
                    const std::shared_ptr<Content>& content);

}  // namespace cairn::ops
