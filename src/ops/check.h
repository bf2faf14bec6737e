// Checking a repository and its archives, and repairing them if asked to.
//
// Part 1    every stored byte against its name (repo/pack_check); the repository's defaults.
// Part 2    with verify_data every indexed object is opened; then every selected archive is read and everything it
//           references is looked up.
// Repair    the index is compared with all packs (repo/pack_survey), what is good in damaged packs is saved
//           (repo/pack_salvage), archives that lost a part of their items are written again without it, and entries of
//           archives that are gone are deleted (ops/archive_repair). Content that is lost stays referenced: it reads as
//           zeros, and a later backup of the same data heals it. Each step is durable before the next one takes
//           anything away; as long as a pack cannot be read, no archive is touched.
// Memory    archives are streamed. Missing chunks are remembered: their ids all, their files for the first thousand.
// Threads   called by the pool's owner.
// Logs      "borg.repository" and "borg.archive", in Borg's words.
// Errors    what ends the check; damage is counted, and makes an exit code of 1.
// Source    docs/format (repository, section 13; cli, section 10.17).
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "archive/selection.h"
#include "base/clock.h"
#include "base/error.h"
#include "exec/pool.h"
#include "repo/repository.h"

namespace cairn::ops {

struct CheckRequest {
  bool repository = true, archives = true;  // which parts
  bool verify_data = false;
  bool repair = false;
  bool verify_saved_ids = true;     // repair: what is saved must decode to what its id says (BORG_ASSERT_ID)
  bool find_lost_archives = false;  // those that no entry names; repair makes the entries
  std::optional<Nanoseconds> max_duration{}, max_age{};
  archive::Selection selection{};
  std::function<std::string(const archive::ArchiveSummary&)> describe{};  // --format; default: name, time, id
  const std::atomic<bool>* interrupted = nullptr;                         // Ctrl-C
};

class CheckObserver {
 public:
  enum class Phase { Index, Packs, Survey, VerifyData, Archives };
  virtual ~CheckObserver() = default;
  virtual void progress(Phase phase, std::uint64_t done, std::uint64_t total) = 0;
};

struct CheckResult {
  bool problems = false;  // after a repair: something is lost, or could not be repaired
};

// Needs the exclusive lock.
Result<CheckResult> check(repo::Repository& repository, exec::Pool& pool, const CheckRequest& request,
                          CheckObserver& observer);

}  // namespace cairn::ops
