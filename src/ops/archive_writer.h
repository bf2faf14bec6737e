// Writing one archive: content chunks from any worker, items in order, then the commit point. Shared by every command
// that makes archives.
//
// Order     content and item stream -> packs stored -> archive object in a pack of its own -> index -> archives entry.
// A
//           crash before the entry leaves chunks that the next run finds again; nothing else.
// Threads   store() through chunks() from any worker; add_item() by one thread at a time; the rest by the owner.
// Errors    repository errors: the run ends.
// Source    docs/format (archive, sections 2.3 and 2.4; repository, section 10).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "archive/item_stream.h"
#include "archive/metadata.h"
#include "base/clock.h"
#include "base/error.h"
#include "chunk/cutter.h"
#include "compress/spec.h"
#include "exec/pool.h"
#include "repo/chunk_writer.h"
#include "repo/repository.h"

namespace cairn::ops {

class ArchiveWriter {
 public:
  // The repository's index must be loaded.
  static Result<std::unique_ptr<ArchiveWriter>> make(repo::Repository& repository, exec::Pool& pool,
                                                     const compress::Spec& spec);

  repo::ChunkWriter& chunks() { return chunks_; }

  // `encoded` is one item's map. Now and then also saves the index, so that an interrupted run loses little.
  Status add_item(exec::Worker& worker, Bytes encoded);

  // Completes `metadata` (item_ptrs, size, nfiles are set from what was added and from the arguments) and commits.
  struct Committed {
    ChunkId id;
    std::uint64_t archive_object_bytes = 0;  // plaintext of the A object
    std::uint64_t new_metadata_bytes = 0;    // plaintext of what was new among the A object and stream_bytes
    std::uint64_t stream_bytes = 0;          // what counts into the archive's size beside file content
  };
  // What Borg counts of the item stream differs: creating leaves out what is stored at the end, copying does not.
  enum class Counted { EarlyStream, WholeStream };
  Result<Committed> commit(exec::Worker& worker, archive::Metadata metadata, std::uint64_t content_bytes,
                           Counted counted = Counted::EarlyStream);
  // Without an archive: makes the finished chunks findable for the next run.
  Status keep_chunks();

 private:
  ArchiveWriter(repo::Repository& repository, exec::Pool& pool, const compress::Spec& spec,
                const repo::PackLimits& limits, std::unique_ptr<chunk::Cutter> item_cutter);
  Result<ChunkId> store_metadata(char type, Bytes plain);

  repo::Repository& repository_;
  std::unique_ptr<chunk::Cutter> item_cutter_;
  repo::PackWriter packs_;
  repo::ChunkWriter chunks_;
  exec::Worker* worker_;  // who stores metadata right now
  std::uint64_t new_metadata_bytes_ = 0;
  bool counts_stream_ = true;
  archive::ItemStreamWriter stream_;
  Nanoseconds last_save_;
};

// The chunker keys of a repository.
chunk::Keys chunker_keys(const repo::Repository& repository);

}  // namespace cairn::ops
