#include "ops/analyze.h"

#include <fmt/format.h>

#include "ops/archive_references.h"
#include "ops/chunk_owners.h"

namespace cairn::ops {

Result<GroupSizes> analyze(repo::Repository& repository, exec::Pool& pool,
                           const std::vector<archive::ArchiveSummary>& archives,
                           const std::vector<std::uint32_t>& groups, std::uint32_t group_count,
                           const std::function<void()>& on_archive, const std::atomic<bool>& interrupted) {
  ChunkOwners owners;
  for (std::size_t i = 0; i < archives.size(); ++i) {
    if (interrupted) return fail(Code::Interrupted, "");
    on_archive();
    // Read only: the tables of references are compact's to write.
    CAIRN_TRY(const KnownReferences known, find_references(repository, pool, archives[i].id, false, &interrupted));
    if (!known.complete) {
      return fail(Code::Error, fmt::format("Archive {} {} cannot be read completely: {}.", archives[i].name,
                                           archives[i].id.hex(), known.problem));
    }
    known.references.for_each(
        [&](const ChunkId& id, std::uint32_t plain_size) { owners.add(id, plain_size, groups[i]); });
  }
  GroupSizes sizes;
  sizes.exclusive.resize(group_count);
  for (const ChunkOwners::Row& row : owners.rows()) {
    const auto location = repository.index().find(row.id);
    if (!location) {
      ++sizes.missing_chunks;
      continue;
    }
    const auto count = [&](Sizes& into) {
      into.source += row.plain_size;
      into.stored += location->size;
    };
    count(row.group == ChunkOwners::kShared ? sizes.shared : sizes.exclusive[row.group]);
    if (row.in_first_group) count(sizes.first_group);
  }
  sizes.total_chunks = repository.index().size();
  repository.index().for_each([&](const repo::ChunkIndex::Entry& entry) {
    if (owners.contains(entry.id)) return;
    ++sizes.unreferenced_chunks;
    sizes.unreferenced_stored += entry.size;
  });
  return sizes;
}

}  // namespace cairn::ops
