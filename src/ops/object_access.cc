#include "ops/object_access.h"

#include <algorithm>
#include <cstring>
#include <unordered_set>

#include <fmt/format.h>

#include "repo/compact.h"
#include "repo/pack_writer.h"

namespace cairn::ops {

Status load_stored_object(repo::Repository& repository, const ChunkId& id, Buffer& object) {
  const auto location = repository.index().find(id);
  if (!location) return fail(Code::Runtime, fmt::format("object {} not found.", id.hex()));
  CAIRN_CHECKED(repository.store().load_range(fmt::format("packs/{}", location->pack.hex()), location->offset,
                                              location->size, object));
  if (object.size() == location->size) return {};
  return fail(Code::Integrity, fmt::format("pack {} ends within object {}", location->pack.hex(), id.hex()));
}

Status put_stored_object(repo::Repository& repository, const ChunkId& id, Bytes object) {
  const auto reader = repository.make_reader();
  Buffer plain;
  if (auto read = reader->read(object, id, repo::kAnyType, repo::Verify::Id, plain); !read) {
    return fail(Code::Integrity,
                fmt::format("not a genuine object {} of this repository: {}", id.hex(), read.error().message()));
  }
  CAIRN_CHECKED(repository.forget_missing_packs());
  const bool replaces = repository.index().erase(id);
  (void)repository.index().claim(id, static_cast<std::uint32_t>(plain.size()));
  CAIRN_TRY(const repo::PackLimits limits, repo::pack_limits_from_environment(1));
  repo::PackWriter packs(repository.store(), repository.index(), limits, [&] { return repository.check_lock(); });
  CAIRN_TRY(const repo::PackWriter::Range range, packs.reserve(id, object.size()));
  std::memcpy(range.bytes.data(), object.data(), object.size());
  CAIRN_CHECKED(packs.commit(range));
  CAIRN_CHECKED(packs.flush());
  const Buffer rows = packs.take_unsaved_rows();
  // Beside an older row for the same id a new one would not surely win.
  return replaces ? repository.replace_index() : repository.save_index(rows);
}

Result<std::vector<Deletion>> delete_objects(repo::Repository& repository, exec::Pool& pool,
                                             const std::vector<ChunkId>& ids) {
  std::vector<Deletion> results(ids.size(), Deletion::NotFound);
  std::unordered_set<ChunkId> doomed;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    // The same id a second time is not there any more.
    if (repository.index().contains(ids[i]) && doomed.insert(ids[i]).second) results[i] = Deletion::Kept;
  }
  if (doomed.empty()) return results;
  CAIRN_CHECKED(repo::check_compact_permissions(repository.store(), "deleting objects"));
  // To compaction they are objects that nobody needs, among all others, which somebody does.
  std::vector<ChunkId> kept;
  repository.index().for_each([&](const repo::ChunkIndex::Entry& entry) {
    if (!doomed.contains(entry.id)) kept.push_back(entry.id);
  });
  for (const ChunkId& id : kept) (void)repository.index().mark_used(id, 0);
  CAIRN_TRY(const repo::PackLimits limits, repo::pack_limits_from_environment(1));
  CAIRN_TRY([[maybe_unused]] const repo::CompactReport report,
            repo::compact_packs(repository, pool, {.threshold = 0, .pack_max_size = limits.max_size}));
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (results[i] == Deletion::Kept && !repository.index().contains(ids[i])) results[i] = Deletion::Deleted;
  }
  return results;
}

Status for_each_object(repo::Repository& repository, const ObjectVisitor& visitor) {
  struct Place {
    repo::PackNumber pack;
    std::uint32_t offset;
    ChunkId id;
  };
  std::vector<Place> places;
  places.reserve(repository.index().size());
  repository.index().for_each([&](const repo::ChunkIndex::Entry& entry) {
    if (entry.placed) places.push_back({entry.pack, entry.offset, entry.id});
  });
  std::ranges::sort(
      places, [](const Place& a, const Place& b) { return a.pack != b.pack ? a.pack < b.pack : a.offset < b.offset; });
  const auto reader = repository.make_reader();
  Buffer object, plain;
  for (std::size_t number = 0; number < places.size(); ++number) {
    if (visitor.interrupted != nullptr && *visitor.interrupted) {
      return fail(Code::Interrupted, "Got Ctrl-C / SIGINT.");
    }
    const ChunkId& id = places[number].id;
    const auto meta = repository.load_object(*reader, id, repo::kAnyType, repo::Verify::Id, object, plain);
    if (!meta) {
      visitor.unreadable(meta.error());
      continue;
    }
    CAIRN_CHECKED(visitor.visit(number, id, plain));
  }
  return {};
}

}  // namespace cairn::ops
