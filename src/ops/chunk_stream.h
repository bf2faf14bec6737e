// Chunks in order, fetched ahead by workers: for whoever needs a sequence of bytes (standard output, digests, the item
// stream) while objects are read, opened and decompressed side by side.
//
// Memory    the window bounds what is fetched ahead.
// Threads   next() belongs to one thread, the pool's owner or a task in the Begin lane.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "base/error.h"
#include "exec/pool.h"
#include "repo/repository.h"

namespace cairn::ops {

// A worker's tools for reading objects.
struct Fetcher {
  explicit Fetcher(const repo::Repository& repository) : reader(repository.make_reader()) {}
  std::unique_ptr<repo::ObjectReader> reader;
  Buffer object, plain;
};
using Fetchers = exec::PerWorker<Fetcher>;
Fetchers make_fetchers(const repo::Repository& repository, const exec::Pool& pool);

class ChunkStream {
 public:
  struct Wanted {
    ChunkId id;
    std::optional<std::uint32_t> size;  // of the plaintext, if known
  };
  // `source` gives the next wanted object, or nothing at the end; it is called on the thread that calls next().
  ChunkStream(repo::Repository& repository, exec::Pool& pool, exec::Worker& worker, Fetchers& fetchers, char type,
              repo::Verify verify, std::function<std::optional<Wanted>()> source);
  ~ChunkStream();  // waits for what is under way

  struct Chunk {
    Wanted wanted;
    Result<Buffer> plain;
  };
  std::optional<Chunk> next();

 private:
  struct Slot {
    std::mutex mutex;
    bool ready = false;
    Result<Buffer> plain = Buffer();
    Wanted wanted;
  };
  void fill();
  void wait(Slot& slot);

  repo::Repository& repository_;
  exec::Pool& pool_;
  exec::Worker& worker_;
  Fetchers& fetchers_;
  const char type_;
  const repo::Verify verify_;
  std::function<std::optional<Wanted>()> source_;
  const std::size_t window_;
  bool source_ended_ = false;
  std::deque<std::shared_ptr<Slot>> ahead_;
};

}  // namespace cairn::ops
