// Garbage collection: finding what archives need, and freeing the rest.
//
// An archive that cannot be read completely ends the command before anything is deleted: what it needs is not known.
// Memory    the chunk index and the references of one archive at a time; archives are streamed.
// Threads   called by the pool's owner.
// Logs      "borg.archiver.compact_cmd", in Borg's words.
// Source    docs/format (repository, sections 9 and 12; cli, section 10.16).
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_set>

#include "base/error.h"
#include "exec/pool.h"
#include "repo/repository.h"

namespace cairn::ops {

struct CompactRequest {
  bool dry_run = false, stats = false;
  std::uint64_t threshold = 10;                    // per cent
  std::uint64_t pack_max_size = 50'000'000;        // BORG_PACK_MAX_SIZE
  const std::atomic<bool>* interrupted = nullptr;  // Ctrl-C
  // Removes the files caches of archive series that are gone and says how many; default: in the repository's cache
  // directory.
  std::function<std::size_t(const std::unordered_set<std::string>& archive_names)> clean_files_caches{};
};

class CompactObserver {
 public:
  enum class Phase { Archives, Packs };
  virtual ~CompactObserver() = default;
  virtual void progress(Phase phase, std::uint64_t done, std::uint64_t total) = 0;
};

struct CompactResult {
  bool warnings = false;  // exit code 1
  bool errors = false;    // exit code 2: objects are missing
};

// Needs the exclusive lock. PermissionDenied if the store does not let us delete; Interrupted after Ctrl-C.
Result<CompactResult> compact(repo::Repository& repository, exec::Pool& pool, const CompactRequest& request,
                              CompactObserver& observer);

}  // namespace cairn::ops
