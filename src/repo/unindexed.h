// Objects that lie in packs and that the index does not know: what an interrupted backup stored, or what a lost index
// fragment named.
//
// Until they are indexed nobody can use them and compaction cannot free them. Each one is authenticated, both slots,
// and then added to the index in memory; a damaged pack gives what is genuine in it. Reads     only packs that are not
// wholly indexed: the headers of what lies between, and the objects that are added. Memory    24 bytes for each indexed
// object of those packs. Threads   called by the pool's owner, under the exclusive lock; packs are read by the pool's
// workers. Errors    those of the store; a pack that cannot be read is left out. Source    docs/format (repository,
// sections 10 and 18.12).
#pragma once

#include <atomic>
#include <cstdint>

#include "base/buffer.h"
#include "base/error.h"
#include "exec/pool.h"
#include "repo/repository.h"

namespace cairn::repo {

struct IndexedObjects {
  Buffer rows;  // for Repository::save_index()
  std::uint64_t objects = 0, bytes = 0;
};

// The index must be loaded, nothing in it marked as used.
Result<IndexedObjects> index_unindexed(Repository& repository, exec::Pool& pool,
                                       const std::atomic<bool>* interrupted = nullptr);

}  // namespace cairn::repo
