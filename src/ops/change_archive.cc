#include "ops/change_archive.h"

#include "base/buffer.h"
#include "compress/spec.h"
#include "repo/chunk_writer.h"
#include "repo/pack_writer.h"

namespace cairn::ops {
namespace {

// The repository's own; what it says may be missing in a repository that needs a repair.
compress::Spec default_compression(repo::Repository& repository) {
  const auto defaults = repository.defaults();
  if (!defaults || !defaults->compression) return {};
  return compress::parse_spec(*defaults->compression).value_or(compress::Spec());
}

}  // namespace

Result<ChunkId> change_archive(repo::Repository& repository, exec::Pool& pool, const ChunkId& archive,
                               const archive::Metadata& metadata, OldArchive old) {
  Buffer encoded;
  archive::encode(metadata, encoded);
  if (repository.id_hash()(encoded) == archive) return archive;
  CAIRN_CHECKED(repository.forget_missing_packs());
  CAIRN_TRY(const repo::PackLimits limits, repo::pack_limits_from_environment(pool.threads()));
  repo::PackWriter packs(repository.store(), repository.index(), limits);
  repo::ChunkWriter chunks(pool, repository.suite(), repository.material(), repository.id_hash(), repository.index(),
                           packs, default_compression(repository));
  CAIRN_TRY(const repo::StoredChunk stored, chunks.store(pool.main_worker(), 'A', encoded));
  CAIRN_CHECKED(packs.flush());
  // A deleted archive may have left the same object.
  if (const Buffer rows = packs.take_unsaved_rows(); !rows.empty()) CAIRN_CHECKED(repository.save_index(rows));
  CAIRN_CHECKED(repository.commit_archive(stored.id));
  if (old == OldArchive::Delete) {
    CAIRN_CHECKED(repository.delete_archive(archive));
    CAIRN_CHECKED(repository.store().sync());
  }
  return stored.id;
}

}  // namespace cairn::ops
