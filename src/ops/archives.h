// The archives of a repository: listing them, and reading one's items as a stream.
//
// Memory    metadata of all archives; of items only what is read ahead.
// Threads   called by the pool's owner; objects are fetched, opened and decompressed by the pool's workers ahead of the
//           consumer. `on_item` runs on the calling thread, in archive order.
// Errors    those of the repository; one archive whose metadata is missing or damaged is listed as such.
// Source    docs/format (archive, sections 2 and 7).
#pragma once

#include <functional>
#include <vector>

#include "archive/item.h"
#include "archive/metadata.h"
#include "archive/summary.h"
#include "base/error.h"
#include "exec/pool.h"
#include "repo/repository.h"

namespace cairn::ops {

// The index must be loaded. In the order of archive ids.
Result<std::vector<archive::ArchiveSummary>> load_archives(repo::Repository& repository, exec::Pool& pool,
                                                           store::Which which = store::Which::Live);
// Metadata of one archive. ObjectNotFound, PackNotFound, Integrity.
Result<archive::Metadata> load_metadata(repo::Repository& repository, const ChunkId& archive);

// The ids of the item stream objects, in order (from the pointer objects).
Result<std::vector<ChunkId>> item_stream_ids(repo::Repository& repository, const archive::Metadata& metadata);

// Reads the items in order; `on_item` may return an error to stop. A missing or damaged stream object is an error.
Status for_each_item(repo::Repository& repository, exec::Pool& pool, const archive::Metadata& metadata,
                     const std::function<Status(archive::Item&&)>& on_item);

}  // namespace cairn::ops
