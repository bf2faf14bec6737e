// Freeing the space of objects that nobody needs, pack by pack.
//
// Before    the index is loaded and its used objects are marked; the exclusive lock is held.
// Safety    the index is marked invalid before anything is deleted and written in full at the end, so a crash at any
//           point leaves packs from which it is rebuilt. A new pack is stored and durable before its source is deleted.
//           Nothing is copied that is not known to be genuine (repo/pack_copy); a pack in doubt is left alone.
// Memory    8 bytes per indexed object for the order; two output packs at most.
// Threads   called by the pool's owner; packs are copied by up to two of the pool's workers.
// Logs      what it leaves alone, and why: "borg.archiver.compact_cmd".
// Errors    those of the store and a lost lock. The index is written all the same, as far as that goes.
// Source    docs/format (repository, section 12, steps 4 to 11, and 18.12).
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

#include "base/error.h"
#include "exec/pool.h"
#include "repo/compact_plan.h"
#include "repo/pack_check.h"
#include "repo/repository.h"

namespace cairn::repo {

struct CompactOptions {
  std::uint64_t threshold = 10;  // per cent
  bool dry_run = false;
  std::uint64_t pack_max_size = 50'000'000;
  const std::atomic<bool>* interrupted = nullptr;  // stops between packs
  Progress progress{};                             // calls come one at a time, from any worker
};

struct CompactReport {
  std::uint64_t size_before = 0, size_after = 0;  // of all packs
  std::size_t dropped = 0, rewritten = 0, merged = 0;
  std::uint64_t to_free = 0;          // bytes, as planned
  std::uint64_t unindexed_bytes = 0;  // stay where they are
  bool warnings = false;              // exit code 1: something was left alone
  bool errors = false;                // exit code 2: used objects are gone, or the index contradicts the packs
  bool interrupted = false;
};

// PermissionDenied unless packs and index may be written and deleted. `what` needs that, for the message.
Status check_compact_permissions(const store::Store& store, std::string_view what = "compaction");
Result<CompactReport> compact_packs(Repository& repository, exec::Pool& pool, const CompactOptions& options);

}  // namespace cairn::repo
