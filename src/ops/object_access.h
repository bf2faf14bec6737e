// Single objects of a repository, by their ids: for debugging, and for people who know what they are doing.
//
// Before    the index is loaded.
// Threads   called by the pool's owner.
// Errors    Runtime for an object that is not there; those of the repository.
// Source    docs/format (archive, section 19).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/error.h"
#include "exec/pool.h"
#include "repo/repository.h"

namespace cairn::ops {

// As it is stored: header and both slots, still encrypted.
Status load_stored_object(repo::Repository& repository, const ChunkId& id, Buffer& object);

// Stores an object as it is. Integrity unless it is a genuine object of this repository with this id: what is damaged
// or somebody else's must not get into the index. One that has this id already is no longer found; compaction frees it.
Status put_stored_object(repo::Repository& repository, const ChunkId& id, Bytes object);

// Removes objects from their packs, whether something needs them or not. The exclusive lock must be held. Returns for
// each whether it was there and is gone.
enum class Deletion { NotFound, Deleted, Kept };  // Kept: its pack is left alone, the log says why
Result<std::vector<Deletion>> delete_objects(repo::Repository& repository, exec::Pool& pool,
                                             const std::vector<ChunkId>& ids);

// The content of all indexed objects, pack by pack. Those that cannot be read go to `unreadable`.
struct ObjectVisitor {
  std::function<Status(std::size_t number, const ChunkId& id, Bytes plain)> visit;
  std::function<void(const Error& error)> unreadable;
  const std::atomic<bool>* interrupted = nullptr;
};
Status for_each_object(repo::Repository& repository, const ObjectVisitor& visitor);

}  // namespace cairn::ops
