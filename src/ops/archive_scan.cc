#include "ops/archive_scan.h"

#include <mutex>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "archive/item_stream.h"
#include "exec/ordered.h"
#include "exec/stop.h"

namespace cairn::ops {
namespace {

struct Scratch {
  explicit Scratch(const repo::Repository& repository) : reader(repository.make_reader()) {}
  std::unique_ptr<repo::ObjectReader> reader;
  Buffer object;
};

// Buffers of stream objects, used again and again.
class Recycled {
 public:
  Buffer take() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) return {};
    Buffer buffer = std::move(free_.back());
    free_.pop_back();
    return buffer;
  }
  void give(Buffer buffer) {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(buffer));
  }

 private:
  std::mutex mutex_;
  std::vector<Buffer> free_;
};

bool is_missing(const Error& error) {
  return error.code() == Code::ObjectNotFound || error.code() == Code::PackNotFound;
}
bool is_damage(const Error& error) {
  return error.code() == Code::Integrity || error.code() == Code::Decompression || error.code() == Code::Io;
}

class Scan {
 public:
  Scan(repo::Repository& repository, exec::Pool& pool, const ScanCallbacks& callbacks,
       const std::atomic<bool>* interrupted)
      : repository_(repository),
        pool_(pool),
        callbacks_(callbacks),
        interrupted_(interrupted),
        scratch_(pool, [&repository] { return std::make_unique<Scratch>(repository); }) {}

  Status run(const ChunkId& archive);

 private:
  struct Fetched {
    std::size_t number = 0;
    ChunkId id;
    Status status;
    Buffer plain;
  };
  Status read(exec::Worker& worker, const ChunkId& id, char type, Buffer& plain) {
    Scratch& mine = scratch_(worker);
    auto meta = repository_.load_object(*mine.reader, id, type, repo::Verify::Envelope, mine.object, plain);
    if (!meta) return fail(std::move(meta).error());
    return {};
  }
  // True if the error is one of the archive; any other one ends the scan.
  bool report(ScanProblem::Where where, std::size_t number, const ChunkId& id, const Error& error) const {
    if (!is_missing(error) && !is_damage(error)) return false;
    if (callbacks_.problem) {
      callbacks_.problem({.where = where,
                          .missing = is_missing(error),
                          .unreadable = error.code() == Code::Io,
                          .number = number,
                          .id = id,
                          .text = error.message()});
    }
    return true;
  }
  void structure(const ChunkId& id) const {
    if (callbacks_.structure) callbacks_.structure(id);
  }
  void take(const Fetched& fetched);
  Status feed(const Fetched& fetched);
  bool stopped() const { return stop_.requested() || (interrupted_ != nullptr && *interrupted_); }

  repo::Repository& repository_;
  exec::Pool& pool_;
  const ScanCallbacks& callbacks_;
  const std::atomic<bool>* interrupted_;
  exec::PerWorker<Scratch> scratch_;
  exec::Stop stop_;
  archive::ItemDecoder decoder_;
};

// Damage inside the stream is stepped over until the object is used up.
Status Scan::feed(const Fetched& fetched) {
  Bytes bytes = fetched.plain;
  while (true) {
    Status of_callback;
    auto status = decoder_.feed(bytes, [&](archive::Item&& item) -> Status {
      if (!callbacks_.item) return {};
      of_callback = callbacks_.item(std::move(item));
      if (of_callback) return {};
      return fail(of_callback.error().clone());
    });
    if (!of_callback) return of_callback;
    if (status) return {};
    if (!report(ScanProblem::Where::Item, fetched.number, fetched.id, status.error())) return status;
    decoder_.resynchronize();
    bytes = {};
  }
}

void Scan::take(const Fetched& fetched) {
  if (stopped()) return;
  structure(fetched.id);
  if (!fetched.status) {
    if (!report(ScanProblem::Where::Stream, fetched.number, fetched.id, fetched.status.error())) {
      stop_.fail(fetched.status.error().clone());
    }
    decoder_.resynchronize();
    return;
  }
  if (auto status = feed(fetched); !status) stop_.fail(std::move(status).error());
}

Status Scan::run(const ChunkId& archive) {
  using Where = ScanProblem::Where;
  exec::Worker& main = pool_.main_worker();
  structure(archive);
  Buffer plain;
  archive::Metadata metadata;
  {
    auto status = read(main, archive, 'A', plain);
    if (status) {
      auto decoded = archive::decode_metadata(plain);
      if (decoded) metadata = std::move(*decoded);
      if (!decoded) status = fail(std::move(decoded).error());
    }
    if (!status) {
      if (report(Where::Metadata, 0, archive, status.error())) return {};
      return status;
    }
  }
  if (callbacks_.metadata) callbacks_.metadata(metadata);

  constexpr std::size_t kAhead = 32;  // stream objects; they are small
  Recycled buffers;
  exec::Ordered<Fetched> ordered(pool_, kAhead, [&](Fetched&& fetched, exec::Worker&) {
    take(fetched);
    buffers.give(std::move(fetched.plain));
  });
  std::size_t number = 0;
  for (std::size_t i = 0; i < metadata.item_ptrs.size() && !stopped(); ++i) {
    const ChunkId& pointer = metadata.item_ptrs[i];
    pool_.drain();  // what came before is through: callbacks come one at a time, and a gap has its place
    structure(pointer);
    auto status = read(main, pointer, repo::kAnyType, plain);
    std::vector<ChunkId> ids;
    if (status) {
      auto decoded = archive::decode_pointers(plain);
      if (decoded) ids = std::move(*decoded);
      if (!decoded) status = fail(std::move(decoded).error());
    }
    if (!status) {
      if (!report(Where::Pointers, i, pointer, status.error())) return status;
      decoder_.resynchronize();
      continue;
    }
    for (const ChunkId& id : ids) {
      if (stopped()) break;
      const std::uint64_t ticket = ordered.reserve(main);
      pool_.submit(main, exec::Lane::Finish, [&, ticket, id, at = number](exec::Worker& worker) {
        Fetched fetched{.number = at, .id = id, .status = {}, .plain = buffers.take()};
        if (!stopped()) fetched.status = read(worker, id, repo::kAnyType, fetched.plain);
        ordered.complete(ticket, std::move(fetched), worker);
      });
      ++number;
    }
  }
  pool_.drain();
  CAIRN_CHECKED(stop_.result());
  if (stopped()) return fail(Code::Interrupted, "Got Ctrl-C.");
  if (auto status = decoder_.finish(); !status) (void)report(Where::Item, number, archive, status.error());
  return {};
}

}  // namespace

Status scan_archive(repo::Repository& repository, exec::Pool& pool, const ChunkId& archive,
                    const ScanCallbacks& callbacks, const std::atomic<bool>* interrupted) {
  return Scan(repository, pool, callbacks, interrupted).run(archive);
}

}  // namespace cairn::ops
