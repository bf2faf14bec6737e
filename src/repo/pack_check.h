// First half of check: is every stored byte what its name says, and is everything there that the index names?
//
// Index fragments and packs are hashed and compared with their names. Unlike in Borg, a bad fragment does not stop the
// check: its entries are found again in the packs, and the packs are checked all the same.
//
// Records   the result for each pack is saved every 30 minutes and at the end (cache/checked-packs), so that an
//           interrupted or partial check is not lost.
// Memory    one piece of about 1 MiB per worker.
// Threads   called by the pool's owner; packs are hashed by the pool's workers.
// Logs      "borg.repository", in Borg's words. Damage is no error; errors are those of the store.
// Source    docs/format (repository, section 13, part 1).
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "exec/pool.h"
#include "repo/repository.h"

namespace cairn::repo {

// `done` of `total` steps of a long phase.
using Progress = std::function<void(std::uint64_t done, std::uint64_t total)>;

struct PackCheckOptions {
  std::optional<Nanoseconds> max_duration{};  // a partial check: least recently checked packs first, until time is up
  std::optional<Nanoseconds> max_age{};       // packs found intact less than this ago are not read again
  bool repair = false;                        // only for what is said: the caller is going to repair what is found
  const std::atomic<bool>* interrupted = nullptr;
  const Clock* clock = nullptr;  // default: the system's
  Progress index_progress{}, pack_progress{};
};

struct PackCheckReport {
  std::uint64_t index_files = 0, index_errors = 0;
  std::uint64_t packs = 0, pack_errors = 0;  // looked at; corrupt ones and bad names
  std::uint64_t reused = 0;
  std::uint64_t unreferenced = 0;
  std::vector<PackId> corrupt, missing;
  bool problems() const { return index_errors + pack_errors > 0 || !missing.empty(); }
};

// Needs the exclusive lock. Loads the repository's index unless it must be rebuilt. Interrupted when told to stop.
Result<PackCheckReport> check_packs(Repository& repository, exec::Pool& pool, const PackCheckOptions& options);

}  // namespace cairn::repo
