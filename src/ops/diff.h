// diff: what differs between two archives, reported while both are read.
//
// Content of files is compared by chunk ids where both archives were cut alike, else by reading it.
// Memory    see item_pairs.h; of files that are read, what is fetched ahead.
// Threads   called by the pool's owner; the callback runs on the calling thread.
// Errors    those of the repository and of the callback; Interrupted.
// Source    docs/format (archive, section 10).
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>

#include "archive/metadata.h"
#include "base/error.h"
#include "exec/pool.h"
#include "ops/item_changes.h"
#include "ops/item_pairs.h"
#include "repo/repository.h"

namespace cairn::ops {

struct DiffRequest {
  CompareOptions compare{};
  bool comparable_ids = true;                        // equal content has equal chunk ids in both archives
  std::function<bool(const std::string&)> wanted{};  // of paths; all if there is none
  const std::atomic<bool>* interrupted = nullptr;
  std::size_t memory_limit = ItemPairs::kMemoryLimit;
};

// One path that differs, with both items as item_pairs.h keeps them. `changes` may be empty: a difference that is not
// shown, such as a change time that only one archive has.
using OnDifference =
    std::function<Status(const ItemChanges& changes, const archive::Item* before, const archive::Item* after)>;

Status diff(repo::Repository& repository, exec::Pool& pool, const archive::Metadata& before,
            const archive::Metadata& after, const DiffRequest& request, const OnDifference& on_difference);

}  // namespace cairn::ops
