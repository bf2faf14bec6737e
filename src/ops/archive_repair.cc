#include "ops/archive_repair.h"

#include <sys/stat.h>

#include <unordered_set>
#include <utility>

#include "archive/metadata.h"
#include "ops/archive_scan.h"
#include "ops/archive_writer.h"
#include "ops/archives.h"

namespace cairn::ops {

Result<std::vector<LostArchive>> find_lost_archives(repo::Repository& repository, std::span<const ChunkId> objects) {
  std::unordered_set<ChunkId> entries;
  for (const store::Which which : {store::Which::Live, store::Which::Deleted}) {
    CAIRN_TRY(const auto ids, repository.list_archives(which));
    entries.insert(ids.begin(), ids.end());
  }
  std::vector<LostArchive> lost;
  for (const ChunkId& id : objects) {
    if (entries.contains(id)) continue;
    auto metadata = load_metadata(repository, id);
    if (metadata) {
      lost.push_back({.id = id, .name = std::move(metadata->name)});
      continue;
    }
    switch (metadata.error().code()) {
      case Code::ObjectNotFound:
      case Code::PackNotFound:
      case Code::Integrity:
      case Code::Decompression:
      case Code::Io:
        continue;
      default:
        return fail(std::move(metadata).error());
    }
  }
  return lost;
}

Result<std::optional<RewrittenArchive>> rewrite_archive(repo::Repository& repository, exec::Pool& pool,
                                                        const ChunkId& archive, const std::atomic<bool>* interrupted) {
  CAIRN_TRY(const auto writer, ArchiveWriter::make(repository, pool, compress::Spec{}));
  RewrittenArchive rewritten;
  std::optional<archive::Metadata> metadata;
  std::uint64_t content_bytes = 0;
  bool unreadable = false;
  Buffer encoded;
  // Items come one at a time, so that they may all use the place of one worker, whichever thread it is.
  const ScanCallbacks callbacks{.metadata = [&](const archive::Metadata& found) { metadata = found; },
                                .item = [&](archive::Item&& item) -> Status {
                                  if (item.chunks) {
                                    for (const archive::ChunkRef& chunk : *item.chunks) content_bytes += chunk.size;
                                  }
                                  if (S_ISREG(item.mode)) ++rewritten.files;
                                  encoded.clear();
                                  archive::encode(item, encoded);
                                  return writer->add_item(pool.main_worker(), encoded);
                                },
                                .problem = [&](const ScanProblem& problem) { unreadable |= problem.unreadable; }};
  CAIRN_CHECKED(scan_archive(repository, pool, archive, callbacks, interrupted));
  if (!metadata || unreadable) return std::nullopt;
  rewritten.files_before = metadata->nfiles.value_or(rewritten.files);
  metadata->nfiles = rewritten.files;
  CAIRN_TRY(const ArchiveWriter::Committed committed,
            writer->commit(pool.main_worker(), std::move(*metadata), content_bytes));
  rewritten.id = committed.id;
  if (committed.id != archive) CAIRN_CHECKED(repository.delete_archive(archive));
  return rewritten;
}

}  // namespace cairn::ops
