// Saving what is good in damaged packs, for check --repair.
//
// Every object of a suspect pack is verified. The good ones that no other pack holds go into a new pack, in their
// order; a header that was hit is made again from what the index knows. Then the index is written, and only then the
// old pack is removed: a crash at any point costs nothing but the work. Where an object is lost, another genuine copy
// takes its place if there is one; else its entry goes.
//
// Left alone  packs that turn out to be sound at this second look, and packs of which a part could not be read: what is
//             good in those is saved all the same, but the disk may yet give back the rest. Their entries stay, too.
// Space       a pack at a time. When the disk is full, the packs that are through are removed before it goes on.
// Memory      one output pack and one object for each of up to two workers.
// Threads     called by the pool's owner; packs are done by up to two of the pool's workers.
// Logs        "borg.repository": what was saved and what was not. Errors are those of the store and a lost lock.
// Source      docs/format (repository, section 13).
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "base/error.h"
#include "exec/pool.h"
#include "repo/pack_survey.h"

namespace cairn::repo {

struct SalvageOptions {
  Verify verify = Verify::Id;                      // what makes an object good
  const std::atomic<bool>* interrupted = nullptr;  // stops between packs
};

struct SalvageReport {
  std::vector<PlacedChunk> lost;   // ids that were indexed and are not any more; sorted
  std::vector<PackId> unreadable;  // packs of which a part could not be read, and which are still there; sorted
  std::uint64_t removed = 0;       // packs that are gone or replaced
  std::uint64_t saved = 0;         // objects that were moved
  std::uint64_t found = 0;         // objects of sound packs that the index did not have, or placed worse
  bool wrote_index = false;
};

// `suspects` in any order, without repetitions; `copies` as the survey found them. The index must be the survey's.
// Writes the whole index if anything was moved or lost. Interrupted when told to stop, after what was begun.
Result<SalvageReport> salvage_packs(Repository& repository, exec::Pool& pool, std::span<const PackId> suspects,
                                    std::span<const PlacedChunk> copies, const SalvageOptions& options);

}  // namespace cairn::repo
