#include "ops/archive_writer.h"

#include "ops/cutters.h"

namespace cairn::ops {
namespace {
constexpr Nanoseconds kSaveInterval = 600 * kSecond;
}

chunk::Keys chunker_keys(const repo::Repository& repository) {
  return {.id_key = repository.material().id_key,
          .without_repository = false,
          .chunk_seed = repository.material().chunk_seed};
}

Result<std::unique_ptr<ArchiveWriter>> ArchiveWriter::make(repo::Repository& repository, exec::Pool& pool,
                                                           const compress::Spec& spec) {
  CAIRN_TRY(const repo::PackLimits limits, repo::pack_limits_from_environment(pool.threads()));
  CAIRN_TRY(auto cutter, make_cutter(repository, chunk::item_stream_params()));
  return std::unique_ptr<ArchiveWriter>(new ArchiveWriter(repository, pool, spec, limits, std::move(cutter)));
}

ArchiveWriter::ArchiveWriter(repo::Repository& repository, exec::Pool& pool, const compress::Spec& spec,
                             const repo::PackLimits& limits, std::unique_ptr<chunk::Cutter> item_cutter)
    : repository_(repository),
      item_cutter_(std::move(item_cutter)),
      packs_(repository.store(), repository.index(), limits, [&repository] { return repository.check_lock(); }),
      chunks_(pool, repository.suite(), repository.material(), repository.id_hash(), repository.index(), packs_, spec),
      worker_(&pool.main_worker()),
      stream_(*item_cutter_, [this](char type, Bytes plain) { return store_metadata(type, plain); }),
      last_save_(system_clock().monotonic()) {}

Result<ChunkId> ArchiveWriter::store_metadata(char type, Bytes plain) {
  CAIRN_TRY(const repo::StoredChunk stored, chunks_.store(*worker_, type, plain));
  if (stored.is_new && (type != 'S' || counts_stream_)) new_metadata_bytes_ += plain.size();
  return stored.id;
}

Status ArchiveWriter::add_item(exec::Worker& worker, Bytes encoded) {
  worker_ = &worker;
  CAIRN_CHECKED(stream_.add(encoded));
  const Nanoseconds now = system_clock().monotonic();
  if (now - last_save_ >= kSaveInterval) {
    last_save_ = now;
    return keep_chunks();
  }
  return {};
}

Status ArchiveWriter::keep_chunks() {
  CAIRN_CHECKED(packs_.flush());
  const Buffer rows = packs_.take_unsaved_rows();
  if (rows.empty()) return {};
  return repository_.save_index(rows);
}

Result<ArchiveWriter::Committed> ArchiveWriter::commit(exec::Worker& worker, archive::Metadata metadata,
                                                       std::uint64_t content_bytes, Counted counted) {
  worker_ = &worker;
  // Borg's sizes: S objects count only if they were stored before the end.
  counts_stream_ = counted == Counted::WholeStream;
  CAIRN_TRY(metadata.item_ptrs, stream_.finish());
  Committed done;
  done.stream_bytes = stream_.early_bytes() + stream_.pointer_bytes();
  if (counted == Counted::WholeStream) done.stream_bytes += stream_.final_bytes();
  metadata.size = content_bytes + done.stream_bytes;
  // The archive object gets a pack of its own, so that listing archives reads tiny packs.
  CAIRN_CHECKED(packs_.flush());
  Buffer encoded;
  archive::encode(metadata, encoded);
  done.archive_object_bytes = encoded.size();
  CAIRN_TRY(done.id, store_metadata('A', encoded));
  CAIRN_CHECKED(packs_.flush());
  done.new_metadata_bytes = new_metadata_bytes_;
  CAIRN_CHECKED(repository_.save_index(packs_.take_unsaved_rows()));
  CAIRN_CHECKED(repository_.commit_archive(done.id));
  return done;
}

}  // namespace cairn::ops
