// delete and undelete: archives are only marked, compaction makes it final.
//
// Errors    those of the store and of a lost lock; what was marked before stays so and is durable. An archive that
//           somebody else has marked in the meantime is a warning.
// Source    docs/format (archive, section 12).
#pragma once

#include <atomic>
#include <functional>
#include <vector>

#include "archive/summary.h"
#include "base/error.h"
#include "repo/repository.h"

namespace cairn::ops {

enum class Mark { Deleted, Live };

// `on_marked` is called after each archive, with its place in `archives`. Raising `stop` ends the work: Interrupted.
Status mark_archives(repo::Repository& repository, const std::vector<archive::ArchiveSummary>& archives, Mark mark,
                     const std::function<Status(std::size_t index)>& on_marked, const std::atomic<bool>& stop);

}  // namespace cairn::ops
