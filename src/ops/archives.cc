#include "ops/archives.h"

#include <algorithm>
#include <deque>
#include <mutex>

#include "archive/item_stream.h"
#include "exec/stop.h"

namespace cairn::ops {
namespace {

// What a worker needs to fetch and open objects.
struct Fetcher {
  explicit Fetcher(const repo::Repository& repository) : reader(repository.make_reader()) {}
  std::unique_ptr<repo::ObjectReader> reader;
  Buffer object, plain;
};

Result<archive::Metadata> fetch_metadata(repo::Repository& repository, Fetcher& fetcher, const ChunkId& id) {
  CAIRN_TRY(const auto meta, repository.load_object(*fetcher.reader, id, 'A', repo::Verify::Envelope, fetcher.object,
                                                    fetcher.plain));
  (void)meta;
  return archive::decode_metadata(fetcher.plain);
}

bool is_missing(const Error& error) {
  return error.code() == Code::ObjectNotFound || error.code() == Code::PackNotFound;
}
bool is_damage(const Error& error) {
  return error.code() == Code::Integrity || error.code() == Code::Decompression;
}

}  // namespace

Result<std::vector<archive::ArchiveSummary>> load_archives(repo::Repository& repository, exec::Pool& pool,
                                                           store::Which which) {
  constexpr std::size_t kBatch = 16;
  CAIRN_TRY(const auto ids, repository.list_archives(which));
  std::vector<archive::ArchiveSummary> summaries(ids.size());
  exec::PerWorker<Fetcher> fetchers(pool, [&] { return std::make_unique<Fetcher>(repository); });
  exec::Stop stop;
  for (std::size_t begin = 0; begin < ids.size(); begin += kBatch) {
    pool.submit(pool.main_worker(), exec::Lane::Begin, [&, begin](exec::Worker& worker) {
      for (std::size_t i = begin; i < std::min(ids.size(), begin + kBatch) && !stop.requested(); ++i) {
        auto metadata = fetch_metadata(repository, fetchers(worker), ids[i]);
        auto summary = metadata ? archive::summarize(ids[i], *metadata)
                                : Result<archive::ArchiveSummary>(fail(std::move(metadata).error()));
        if (summary) {
          summaries[i] = std::move(*summary);
        } else if (is_missing(summary.error())) {
          summaries[i] = archive::missing_archive(ids[i]);
        } else if (is_damage(summary.error())) {
          summaries[i] = archive::damaged_archive(ids[i]);
        } else {
          stop.fail(std::move(summary).error());
        }
      }
    });
  }
  pool.drain();
  CAIRN_CHECKED(stop.result());
  return summaries;
}

Result<archive::Metadata> load_metadata(repo::Repository& repository, const ChunkId& archive) {
  Fetcher fetcher(repository);
  return fetch_metadata(repository, fetcher, archive);
}

Result<std::vector<ChunkId>> item_stream_ids(repo::Repository& repository, const archive::Metadata& metadata) {
  Fetcher fetcher(repository);
  std::vector<ChunkId> ids;
  for (const ChunkId& pointer : metadata.item_ptrs) {
    CAIRN_TRY(const auto meta, repository.load_object(*fetcher.reader, pointer, 'C', repo::Verify::Envelope,
                                                      fetcher.object, fetcher.plain));
    (void)meta;
    CAIRN_TRY(const auto part, archive::decode_pointers(fetcher.plain));
    ids.insert(ids.end(), part.begin(), part.end());
  }
  return ids;
}

Status for_each_item(repo::Repository& repository, exec::Pool& pool, const archive::Metadata& metadata,
                     const std::function<Status(archive::Item&&)>& on_item) {
  CAIRN_TRY(const auto ids, item_stream_ids(repository, metadata));
  exec::PerWorker<Fetcher> fetchers(pool, [&] { return std::make_unique<Fetcher>(repository); });
  archive::ItemDecoder decoder;
  // Objects are fetched ahead by workers; the window bounds what is held (an object has at most 512 KiB).
  struct Slot {
    std::mutex mutex;
    bool ready = false;
    Result<Buffer> plain = Buffer();
  };
  const std::size_t window = std::size_t{2} * pool.threads() + 2;
  std::deque<std::shared_ptr<Slot>> ahead;
  std::size_t next = 0;
  exec::Worker& worker = pool.main_worker();
  auto fetch = [&](const ChunkId& id, exec::Worker& on) -> Result<Buffer> {
    Fetcher& fetcher = fetchers(on);
    Buffer plain;
    CAIRN_TRY(const auto meta, repository.load_object(*fetcher.reader, id, 'S', repo::Verify::Envelope, fetcher.object, plain));
    (void)meta;
    return plain;
  };
  Status status;
  while (status && (next < ids.size() || !ahead.empty())) {
    while (next < ids.size() && ahead.size() < window) {
      auto slot = std::make_shared<Slot>();
      ahead.push_back(slot);
      pool.submit(worker, exec::Lane::Finish, [slot, fetch, id = ids[next]](exec::Worker& on) {
        auto plain = fetch(id, on);
        {
          const std::lock_guard lock(slot->mutex);
          slot->plain = std::move(plain);
          slot->ready = true;
        }
        on.pool().notify();
      });
      ++next;
    }
    const auto slot = ahead.front();
    ahead.pop_front();
    pool.wait_until(worker, exec::Lane::Finish, [&] {
      const std::lock_guard lock(slot->mutex);
      return slot->ready;
    });
    if (!slot->plain) {
      status = fail(std::move(slot->plain).error());
    } else {
      status = decoder.feed(*slot->plain, on_item);
    }
  }
  pool.drain();
  if (!status) return status;
  return decoder.finish();
}

}  // namespace cairn::ops
