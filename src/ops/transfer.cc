#include "ops/transfer.h"

#include <algorithm>
#include <mutex>
#include <set>

#include <fmt/format.h>

#include "base/log.h"
#include "ops/archive_writer.h"
#include "ops/archives.h"
#include "ops/chunk_queue.h"
#include "ops/item_pipeline.h"
#include "ops/items_ahead.h"

namespace cairn::ops {
namespace {

constexpr Nanoseconds kProgressInterval = kSecond / 10;

// Ids are keyed hashes: with another key the same content has another name.
Status check_related(const repo::Repository& source, const repo::Repository& target, bool rechunk) {
  if (rechunk) return {};
  if (source.suite().id_hash != target.suite().id_hash) {
    return fail(Code::Error, "You must either keep the same ID hash or use --chunker-params.");
  }
  if (source.material().chunk_seed != target.material().chunk_seed ||
      source.material().id_key != target.material().id_key) {
    return fail(Code::Error,
                "You must use the same chunker secret or deduplication will break. Use a related repository!");
  }
  return {};
}

class Transfer {
 public:
  Transfer(repo::Repository& source, repo::Repository& target, exec::Pool& pool, const TransferRequest& request,
           TransferObserver& observer)
      : source_(source), target_(target), pool_(pool), request_(request), observer_(observer), tools_(pool, [&source] {
          return std::make_unique<Tools>(source);
        }) {}

  Status run(const std::vector<archive::ArchiveSummary>& archives);

 private:
  struct Tools {
    explicit Tools(const repo::Repository& source) : reader(source.make_reader()) {}
    std::unique_ptr<repo::ObjectReader> reader;
    compress::Compressor compressor;
    Buffer object, plain;
  };

  Result<TransferCount> dry_run(const archive::Metadata& metadata);
  Result<TransferCount> copy(const archive::Metadata& metadata);
  Status copy_items(const archive::Metadata& metadata, ArchiveWriter& writer);
  Status cut_items_again(const archive::Metadata& metadata, ArchiveWriter& writer);
  Status add_item(ArchiveWriter& writer, exec::Worker& worker, const archive::Item& item);
  void copy_chunk(ArchiveWriter& writer, const archive::ChunkRef& chunk, const std::string& path, exec::Worker& worker);
  enum class Copied { New, Present, Lost };
  Result<Copied> store_chunk(ArchiveWriter& writer, const archive::ChunkRef& chunk, exec::Worker& worker);
  void report_progress(const std::string& path);

  repo::Repository& source_;
  repo::Repository& target_;
  exec::Pool& pool_;
  const TransferRequest& request_;
  TransferObserver& observer_;
  exec::PerWorker<Tools> tools_;
  exec::Stop stop_{request_.interrupted};
  std::mutex warnings_;
  // Of the archive under way.
  std::atomic<std::uint64_t> transferred_{0}, present_{0};
  std::uint64_t files_ = 0, content_bytes_ = 0;
  Nanoseconds last_progress_ = 0;
};

Status Transfer::run(const std::vector<archive::ArchiveSummary>& archives) {
  CAIRN_CHECKED(check_related(source_, target_, request_.rechunk.has_value()));
  CAIRN_CHECKED(source_.load_index(repo::BadFragments::Salvage, pool_));
  CAIRN_CHECKED(target_.load_index(repo::BadFragments::Error, pool_));
  CAIRN_TRY(const auto known, load_archives(target_, pool_));
  std::set<std::pair<std::string, Nanoseconds>> names;
  std::set<std::pair<std::string, ChunkId>> ids;
  for (const auto& archive : known) {
    names.emplace(archive.name, archive.time);
    ids.emplace(archive.name, archive.id);
  }
  if (!request_.dry_run) CAIRN_CHECKED(target_.forget_missing_packs());
  const auto on_lost = [this](Error error) { stop_.fail(std::move(error)); };
  source_.on_lock_lost(on_lost);
  target_.on_lock_lost(on_lost);
  auto all = [&]() -> Status {
    for (const archive::ArchiveSummary& archive : archives) {
      CAIRN_CHECKED(stop_.result());
      const bool is_there = names.contains({archive.name, archive.time}) || ids.contains({archive.name, archive.id});
      if (is_there && !request_.dry_run) {
        observer_.is_present(archive);
        continue;
      }
      if (archive.problem != archive::ArchiveSummary::Problem::None) {
        return fail(Code::ArchiveDoesNotExist, fmt::format("Archive {} does not exist", archive.name));
      }
      CAIRN_TRY(const archive::Metadata metadata, load_metadata(source_, archive.id));
      if (request_.dry_run) {
        CAIRN_TRY(const TransferCount count, dry_run(metadata));
        observer_.ends(archive, count);
        continue;
      }
      observer_.begins(archive);
      CAIRN_TRY(const TransferCount count, copy(metadata));
      names.emplace(archive.name, archive.time);
      observer_.ends(archive, count);
    }
    return {};
  };
  auto status = all();
  source_.on_lock_lost({});
  target_.on_lock_lost({});
  if (status && !request_.dry_run) {
    if (auto repacked = target_.fragments().repack(); !repacked) {
      log(Level::Warning, "borg.repository", fmt::format("Merging small index fragments: {}", repacked.error().text()));
    }
  }
  return status;
}

Result<TransferCount> Transfer::dry_run(const archive::Metadata& metadata) {
  TransferCount count;
  auto status = for_each_item(source_, pool_, metadata, [&](archive::Item&& item) -> Status {
    if (!item.chunks) return stop_.result();
    for (const archive::ChunkRef& chunk : *item.chunks) {
      (target_.index().contains(chunk.id) ? count.present : count.transferred) += chunk.size;
    }
    return stop_.result();
  });
  if (!status) return fail(std::move(status).error());
  return count;
}

Result<TransferCount> Transfer::copy(const archive::Metadata& metadata) {
  transferred_ = 0;
  present_ = 0;
  files_ = 0;
  content_bytes_ = 0;
  CAIRN_TRY(const auto writer, ArchiveWriter::make(target_, pool_, request_.compression));
  auto status = request_.rechunk ? cut_items_again(metadata, *writer) : copy_items(metadata, *writer);
  pool_.drain();
  if (auto stopped = stop_.result(); !stopped) status = std::move(stopped);
  if (!status) {
    // What is through is kept findable for the next run, unless the target itself is the problem.
    if (auto kept = writer->keep_chunks(); !kept) {
      log(Level::Debug, "borg.archive", fmt::format("Keeping finished chunks: {}", kept.error().text()));
    }
    return fail(std::move(status).error());
  }
  archive::Metadata copied = metadata;
  copied.version = 2;
  copied.tags.clear();  // as Borg does: @PROT of the other side protects nothing here
  if (request_.rechunk) copied.chunker_params = request_.rechunk;
  copied.nfiles = files_;
  CAIRN_TRY(const auto done,
            writer->commit(pool_.main_worker(), copied, content_bytes_, ArchiveWriter::Counted::WholeStream));
  (void)done;
  return TransferCount{.transferred = transferred_, .present = present_};
}

Status Transfer::add_item(ArchiveWriter& writer, exec::Worker& worker, const archive::Item& item) {
  if (item.chunks) {
    ++files_;
    for (const archive::ChunkRef& chunk : *item.chunks) content_bytes_ += chunk.size;
  }
  Buffer encoded;
  archive::encode(item, encoded);
  CAIRN_CHECKED(writer.add_item(worker, encoded));
  report_progress(item.path);
  return {};
}

void Transfer::report_progress(const std::string& path) {
  if (!request_.want_progress) return;
  const Nanoseconds now = system_clock().monotonic();
  if (now - last_progress_ < kProgressInterval) return;
  last_progress_ = now;
  CreateProgress progress;
  progress.original_size = content_bytes_;
  progress.deduplicated_size = transferred_;
  progress.files = files_;
  progress.path = path;
  observer_.progress(progress);
}

Status Transfer::copy_items(const archive::Metadata& metadata, ArchiveWriter& writer) {
  return for_each_item(source_, pool_, metadata, [&](archive::Item&& item) -> Status {
    CAIRN_CHECKED(stop_.result());
    if (item.chunks) {
      const auto path = std::make_shared<const std::string>(item.path);
      for (const archive::ChunkRef& chunk : *item.chunks) {
        if (target_.index().contains(chunk.id)) {
          present_ += chunk.size;
          continue;
        }
        pool_.submit(pool_.main_worker(), exec::Lane::Finish,
                     [this, &writer, chunk, path](exec::Worker& on) { copy_chunk(writer, chunk, *path, on); });
      }
    }
    return add_item(writer, pool_.main_worker(), item);
  });
}

void Transfer::copy_chunk(ArchiveWriter& writer, const archive::ChunkRef& chunk, const std::string& path,
                          exec::Worker& worker) {
  if (stop_.requested()) return;
  const auto copied = store_chunk(writer, chunk, worker);
  if (!copied) {
    stop_.fail(copied.error().clone());
    return;
  }
  if (*copied == Copied::New) {
    transferred_ += chunk.size;
  } else if (*copied == Copied::Present) {
    present_ += chunk.size;  // another reference was faster
  } else {
    const std::lock_guard lock(warnings_);
    observer_.warning(
        path, Error(Code::BackupDamagedChunks,
                    fmt::format("{}: chunk {} is missing or corrupted in the other repository, the copy lacks it too",
                                path, chunk.id.hex())));
  }
}

Result<Transfer::Copied> Transfer::store_chunk(ArchiveWriter& writer, const archive::ChunkRef& chunk,
                                               exec::Worker& worker) {
  Tools& mine = tools_(worker);
  const auto location = source_.index().find(chunk.id);
  if (!location) return Copied::Lost;
  const std::string pack = fmt::format("packs/{}", location->pack.hex());
  if (auto status = source_.store().load_range(pack, location->offset, location->size, mine.object); !status) {
    if (status.error().code() == Code::NotFound) return Copied::Lost;
    return fail(std::move(status).error());
  }
  auto payload = mine.reader->read_payload(mine.object, chunk.id);
  auto intact = [&]() -> Status {
    if (!payload) return fail(payload.error().clone());
    CAIRN_CHECKED(mine.compressor.decompress(
        payload->meta.facts, payload->meta.size ? payload->meta.size : std::optional(std::uint64_t{chunk.size}),
        payload->bytes, mine.plain));
    if (mine.plain.size() != chunk.size) {
      return fail(Code::Integrity, fmt::format("size is {}, expected {}", mine.plain.size(), chunk.size));
    }
    if (request_.check_ids && source_.id_hash()(mine.plain) != chunk.id) {
      return fail(Code::Integrity, "id verification failed");
    }
    return {};
  }();
  if (!intact) {
    log(Level::Error, "borg.archive",
        fmt::format("repository object {} corrupted ({}), not copied.", chunk.id.hex(), intact.error().message()));
    return Copied::Lost;
  }
  if (request_.recompress) {
    CAIRN_TRY(const repo::StoredChunk stored, writer.chunks().store(worker, 'F', mine.plain));
    if (stored.id != chunk.id)
      return fail(Code::Integrity, fmt::format("chunk {} has another id here", chunk.id.hex()));
    return stored.is_new ? Copied::New : Copied::Present;
  }
  repo::ObjectMeta meta = payload->meta;
  meta.type = 'F';
  meta.size = mine.plain.size();
  CAIRN_TRY(const bool is_new, writer.chunks().store_payload(worker, chunk.id, chunk.size, meta, payload->bytes));
  return is_new ? Copied::New : Copied::Present;
}

Status Transfer::cut_items_again(const archive::Metadata& metadata, ArchiveWriter& writer) {
  CAIRN_TRY(const auto cutter, chunk::make_cutter(*request_.rechunk, chunker_keys(target_)));
  ItemPipeline pipeline(pool_, stop_, writer.chunks(), *cutter, {},
                        [&](PipelineItem&& item, exec::Worker& worker) -> Status {
                          if (item.item.chunks) {
                            transferred_ += item.new_bytes;
                            present_ += item.item.size.value_or(0) - item.new_bytes;
                          }
                          return add_item(writer, worker, item.item);
                        });
  ChunkQueue queue(source_, pool_, pool_.main_worker(), request_.check_ids ? repo::Verify::Id : repo::Verify::Envelope,
                   fetch_ahead_bytes(pool_));
  ItemsAhead ahead(queue, [&](archive::Item&& item, Source& content) -> Status {
    CAIRN_CHECKED(stop_.result());
    PipelineItem entry;
    entry.item = std::move(item);
    if (!entry.item.chunks) {
      pipeline.put(std::move(entry));
      return {};
    }
    std::uint64_t size = 0;
    for (const archive::ChunkRef& chunk : *entry.item.chunks) size += chunk.size;
    return pipeline.store(std::move(entry), content, size);
  });
  auto status =
      for_each_item(source_, pool_, metadata, [&](archive::Item&& item) { return ahead.add(std::move(item)); });
  if (status) status = ahead.finish();
  pipeline.flush();
  pool_.drain();
  return status;
}

}  // namespace

Status transfer(repo::Repository& source, repo::Repository& target, exec::Pool& pool,
                const std::vector<archive::ArchiveSummary>& archives, const TransferRequest& request,
                TransferObserver& observer) {
  return Transfer(source, target, pool, request, observer).run(archives);
}

}  // namespace cairn::ops
