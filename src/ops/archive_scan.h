// Reading an archive that may be damaged: everything it references, and what is wrong with it.
//
// Unlike for_each_item(), damage does not end the scan: objects that are missing or damaged are reported and left out,
// and the item stream is taken up again at the next thing that looks like an item.
// Memory    a bounded number of stream objects; never the items of an archive.
// Threads   called by the pool's owner. Callbacks come one at a time, but from any worker of the pool.
// Errors    those of the store, of a callback, and Interrupted. Damage goes to `problem`.
// Source    docs/format (repository, sections 12 and 13; archive, section 2.5).
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

#include "archive/item.h"
#include "archive/metadata.h"
#include "base/error.h"
#include "exec/pool.h"
#include "repo/repository.h"

namespace cairn::ops {

struct ScanProblem {
  enum class Where { Metadata, Pointers, Stream, Item };
  Where where;
  bool missing = false;     // else damaged,
  bool unreadable = false;  // or the store failed to read it: then it may be whole
  std::size_t number = 0;   // of the pointer or stream object
  ChunkId id;
  std::string text;  // why, for damage
};

struct ScanCallbacks {
  std::function<void(const archive::Metadata&)> metadata{};
  std::function<void(const ChunkId&)> structure{};  // the archive object, item pointers and stream objects
  std::function<Status(archive::Item&&)> item{};
  std::function<void(const ScanProblem&)> problem{};
};

// The index must be loaded. Ids go to `structure` before the objects are read.
Status scan_archive(repo::Repository& repository, exec::Pool& pool, const ChunkId& archive,
                    const ScanCallbacks& callbacks, const std::atomic<bool>* interrupted = nullptr);

}  // namespace cairn::ops
