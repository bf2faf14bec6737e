// Mending what an archive consists of, for check --repair: archives that no entry names any more, and archives of whose
// item stream a part is lost.
//
// Safety    a new archive is complete and committed before the entry of the old one is (softly) deleted, so a crash in
//           between leaves both.
// Threads   called by the pool's owner.
// Errors    those of the repository. Damage is a value.
// Source    docs/format (repository, section 13, part 2 c and d; archive, sections 2.2 and 2.5).
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/error.h"
#include "exec/pool.h"
#include "repo/repository.h"

namespace cairn::ops {

struct LostArchive {
  ChunkId id;
  std::string name;
};
// Those of `objects` (ids of objects of type 'A', in the index) that are readable archives and have no entry, neither a
// live nor a deleted one.
Result<std::vector<LostArchive>> find_lost_archives(repo::Repository& repository, std::span<const ChunkId> objects);

struct RewrittenArchive {
  ChunkId id;
  std::uint64_t files = 0, files_before = 0;  // regular files; before: as the archive said
};
// Makes a new archive of all items that can still be read, and deletes the old entry. Sizes and counts are those of
// what is left; everything else is as it was. Nothing if the archive object itself cannot be read.
Result<std::optional<RewrittenArchive>> rewrite_archive(repo::Repository& repository, exec::Pool& pool,
                                                        const ChunkId& archive,
                                                        const std::atomic<bool>* interrupted = nullptr);

}  // namespace cairn::ops
