// check --verify-data: decrypts and decompresses every indexed object and compares its id with its content.
//
// Reads     pack by pack in the order of offsets; neighbouring objects share one read of up to 4 MiB.
// Memory    8 bytes per indexed object for the order, and one run of objects per worker.
// Threads   called by the pool's owner; the work is done by the pool's workers.
// Logs      "borg.archive", in Borg's words. Damage is no error; errors are those of the store.
// Source    docs/format (repository, section 13, part 2 b).
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "base/error.h"
#include "exec/pool.h"
#include "repo/pack_check.h"
#include "repo/repository.h"

namespace cairn::repo {

struct VerifyReport {
  std::uint64_t objects = 0, errors = 0;
  std::vector<PackId> defective;  // packs that hold the objects with errors; sorted
};

struct VerifyOptions {
  bool repair = false;  // only for what is said: the caller is going to remove what is defect
  const std::atomic<bool>* interrupted = nullptr;
  Progress progress{};
};

// The index must be loaded. Interrupted when told to stop.
Result<VerifyReport> verify_data(Repository& repository, exec::Pool& pool, const VerifyOptions& options = {});

}  // namespace cairn::repo
