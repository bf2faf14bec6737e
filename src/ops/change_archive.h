// An archive with other metadata: the same items under another name or with other tags, as a new archive.
//
// Order     the new archive is committed before the old one is marked as deleted: a crash between leaves both.
// Errors    those of the repository. The index must be loaded.
// Source    docs/format (archive, sections 2.4 and 12).
#pragma once

#include "archive/metadata.h"
#include "base/error.h"
#include "exec/pool.h"
#include "repo/repository.h"

namespace cairn::ops {

enum class OldArchive { Keep, Delete };

// `metadata` as it shall be; returns the id that it has. Unchanged metadata has the id of the archive that it came
// from: then nothing is written or deleted.
Result<ChunkId> change_archive(repo::Repository& repository, exec::Pool& pool, const ChunkId& archive,
                               const archive::Metadata& metadata, OldArchive old);

}  // namespace cairn::ops
