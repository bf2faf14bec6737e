#include "ops/archives.h"

#include <algorithm>

#include "archive/item_stream.h"
#include "exec/stop.h"
#include "ops/chunk_stream.h"

namespace cairn::ops {
namespace {

Result<archive::Metadata> fetch_metadata(repo::Repository& repository, Fetcher& fetcher, const ChunkId& id) {
  CAIRN_TRY(const auto meta,
            repository.load_object(*fetcher.reader, id, 'A', repo::Verify::Envelope, fetcher.object, fetcher.plain));
  (void)meta;
  return archive::decode_metadata(fetcher.plain);
}

bool is_missing(const Error& error) {
  return error.code() == Code::ObjectNotFound || error.code() == Code::PackNotFound;
}
// A bad place of the disk costs one archive, not the list.
bool is_damage(const Error& error) {
  return error.code() == Code::Integrity || error.code() == Code::Decompression || error.code() == Code::Io;
}

}  // namespace

Result<std::vector<archive::ArchiveSummary>> load_archives(repo::Repository& repository, exec::Pool& pool,
                                                           store::Which which) {
  constexpr std::size_t kBatch = 16;
  CAIRN_TRY(const auto ids, repository.list_archives(which));
  std::vector<archive::ArchiveSummary> summaries(ids.size());
  Fetchers fetchers = make_fetchers(repository, pool);
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
    CAIRN_TRY(const auto meta, repository.load_object(*fetcher.reader, pointer, repo::kAnyType, repo::Verify::Envelope,
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
  Fetchers fetchers = make_fetchers(repository, pool);
  archive::ItemDecoder decoder;
  std::size_t next = 0;
  ChunkStream stream(repository, pool, pool.main_worker(), fetchers, repo::kAnyType, repo::Verify::Envelope,
                     [&]() -> std::optional<ChunkStream::Wanted> {
                       if (next == ids.size()) return std::nullopt;
                       return ChunkStream::Wanted{ids[next++], std::nullopt};
                     });
  while (auto chunk = stream.next()) {
    if (!chunk->plain) return std::unexpected<Error>(std::move(chunk->plain).error());
    CAIRN_CHECKED(decoder.feed(*chunk->plain, on_item));
  }
  return decoder.finish();
}

}  // namespace cairn::ops
