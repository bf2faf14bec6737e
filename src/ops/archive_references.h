// What one archive references: from the repository's cache, else from the archive itself.
// Source: docs/format (repository, sections 9 and 12). Errors and threads as scan_archive().
#pragma once

#include <atomic>

#include "base/bytes.h"
#include "base/error.h"
#include "exec/pool.h"
#include "repo/reference_cache.h"
#include "repo/repository.h"

namespace cairn::ops {

struct KnownReferences {
  repo::ArchiveReferences references;
  bool complete = true;   // false: part of the archive could not be read, so it needs more than this
  std::string problem{};  // the first one
};

// A complete scan is stored for the next time if `save` says so; a failure to store is only logged.
Result<KnownReferences> find_references(repo::Repository& repository, exec::Pool& pool, const ChunkId& archive,
                                        bool save, const std::atomic<bool>* interrupted);

}  // namespace cairn::ops
