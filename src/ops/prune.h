// What prune would do with the archives of a repository: groups, and a decision for each archive. Changes nothing.
//
// Source: docs/format (archive, section 11).
#pragma once

#include <optional>
#include <vector>

#include "archive/prune.h"
#include "archive/summary.h"

namespace cairn::ops {

struct PruneRequest {
  archive::PruneRules rules{};
  std::vector<archive::GroupKey> group_by = {archive::GroupKey::Name, archive::GroupKey::Host};
  std::optional<Nanoseconds> from{};  // what is not older is kept, and intervals end there
  Nanoseconds now = 0;
};

struct PrunePlan {
  struct Entry {
    archive::ArchiveSummary archive;
    archive::PruneDecision decision;
    std::size_t group = 0;  // of `groups`
  };
  std::vector<Entry> entries{};                 // newest archive first
  std::vector<archive::ArchiveGroup> groups{};  // members are places in `entries`

  std::size_t pruned() const;
  std::size_t pruned(const archive::ArchiveGroup& group) const;
};

// `archives` oldest first. Protected ones are left out, and those of which nothing is known: they have no time.
PrunePlan plan_prune(std::vector<archive::ArchiveSummary> archives, const PruneRequest& request);

}  // namespace cairn::ops
