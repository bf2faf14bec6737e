// Comparing the index with what the packs really hold, for check --repair.
//
// Every object's header and metadata slot is authenticated, in every pack, whatever the index says. Afterwards the
// index in memory names all objects that are there. What it named and nobody found is taken out, except where the pack
// holds damage or could not be read: there pack_salvage has a closer look.
//
// Reads     headers and metadata, not the data; a damaged range is searched for the next genuine object.
// Memory    the index, and 72 bytes for each object that is there twice.
// Threads   called by the pool's owner; packs are walked by the pool's workers.
// Logs      "borg.repository": damaged ranges. Damage is no error; errors are those of the store.
// Source    docs/format (repository, sections 4.2 and 13).
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "base/error.h"
#include "exec/pool.h"
#include "repo/pack_check.h"
#include "repo/repository.h"

namespace cairn::repo {

struct PlacedChunk {
  ChunkId id;
  Location location;
  friend auto operator<=>(const PlacedChunk&, const PlacedChunk&) = default;
};

struct PackSurvey {
  std::vector<PlacedChunk> copies;  // genuine objects whose id the index places elsewhere; sorted
  std::vector<PlacedChunk> lost;    // no longer in the index: nothing genuine is where it said, or anywhere else
  std::vector<ChunkId> archives;    // objects of type 'A'; sorted
  std::vector<PackId> damaged;      // hold bytes that are no genuine object
  std::vector<PackId> unreadable;   // failed with an I/O error
  std::uint64_t found = 0;          // entries that the index did not have
  std::uint64_t moved = 0;          // entries that named a wrong place
  bool changed_index() const { return found + moved > 0 || !lost.empty(); }
};

// The index must be loaded. Interrupted when told to stop.
Result<PackSurvey> survey_packs(Repository& repository, exec::Pool& pool, const Progress& progress = {},
                                const std::atomic<bool>* interrupted = nullptr);

// Ids of all objects of type 'A', in any pack, sorted. Changes nothing.
Result<std::vector<ChunkId>> find_archive_objects(Repository& repository, exec::Pool& pool,
                                                  const std::atomic<bool>* interrupted = nullptr);

}  // namespace cairn::repo
