// What archives and groups of archives take in a repository.
//
// Source sizes count each chunk of files once, stored sizes its object in the packs; metadata has no source size.
// Memory    see chunk_owners.h.
// Threads   called by the pool's owner. Errors: those of the repository; Interrupted; Error if an archive cannot be
//           read completely, as the numbers would be wrong.
// Source    docs/format (archive, section 18; cli, section 10.28).
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

#include "archive/summary.h"
#include "base/error.h"
#include "exec/pool.h"
#include "repo/repository.h"

namespace cairn::ops {

struct Sizes {
  std::uint64_t source = 0, stored = 0;
};

struct GroupSizes {
  std::vector<Sizes> exclusive{};  // by group: chunks that no other group uses
  Sizes shared{};                  // chunks of two or more groups
  Sizes first_group{};             // everything that group 0 uses
  std::uint64_t unreferenced_stored = 0, unreferenced_chunks = 0;
  std::uint64_t total_chunks = 0, missing_chunks = 0;
};

// `groups` has a number for each of `archives`, which must be all of the repository. `on_archive` is called before
// each.
Result<GroupSizes> analyze(repo::Repository& repository, exec::Pool& pool,
                           const std::vector<archive::ArchiveSummary>& archives,
                           const std::vector<std::uint32_t>& groups, std::uint32_t group_count,
                           const std::function<void()>& on_archive, const std::atomic<bool>& interrupted);

}  // namespace cairn::ops
