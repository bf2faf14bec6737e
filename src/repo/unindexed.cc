#include "repo/unindexed.h"

#include <algorithm>
#include <mutex>
#include <vector>

#include "exec/stop.h"
#include "repo/index_fragments.h"
#include "repo/pack_copy.h"

namespace cairn::repo {
namespace {

struct PartlyIndexed {
  PackId id;
  std::uint64_t size = 0;
  std::vector<PackObject> indexed;
};

// Packs with more bytes than the index accounts for.
Result<std::vector<PartlyIndexed>> find_partly_indexed(Repository& repository) {
  ChunkIndex& index = repository.index();
  CAIRN_TRY(const auto listed, repository.store().list("packs"));
  std::vector<std::uint64_t> indexed_bytes;
  index.for_each([&](const ChunkIndex::Entry& entry) {
    if (!entry.placed) return;
    if (entry.pack >= indexed_bytes.size()) indexed_bytes.resize(entry.pack + 1, 0);
    indexed_bytes[entry.pack] += entry.size;
  });
  std::vector<PartlyIndexed> packs;
  std::vector<std::size_t> place;  // in packs, plus one, by pack number
  for (const store::Entry& entry : listed) {
    const auto id = PackId::from_hex(entry.name);
    if (!id || id->hex() != entry.name) continue;
    const PackNumber number = index.pack_number(*id);
    if (number < indexed_bytes.size() && indexed_bytes[number] >= entry.size) continue;
    packs.push_back({.id = *id, .size = entry.size, .indexed = {}});
    if (number >= place.size()) place.resize(number + 1, 0);
    place[number] = packs.size();
  }
  index.for_each([&](const ChunkIndex::Entry& entry) {
    if (!entry.placed || entry.pack >= place.size() || place[entry.pack] == 0) return;
    packs[place[entry.pack] - 1].indexed.push_back(
        {.id = entry.id, .offset = entry.offset, .size = entry.size, .indexed = true});
  });
  return packs;
}

}  // namespace

Result<IndexedObjects> index_unindexed(Repository& repository, exec::Pool& pool, const std::atomic<bool>* interrupted) {
  CAIRN_TRY(auto packs, find_partly_indexed(repository));
  exec::PerWorker<PackCopier> copiers(pool, [&repository] { return std::make_unique<PackCopier>(repository); });
  exec::Stop stop;
  std::mutex mutex;
  IndexedObjects result;
  for (PartlyIndexed& pack : packs) {
    if (stop.requested() || (interrupted != nullptr && *interrupted)) break;
    pool.submit(pool.main_worker(), exec::Lane::Begin, [&](exec::Worker& worker) {
      if (stop.requested()) return;
      std::ranges::sort(pack.indexed, {}, &PackObject::offset);
      if (!are_disjoint(pack.indexed, pack.size)) return;  // such an index is for check --repair
      const auto gaps = copiers(worker).examine_gaps(pack.id, pack.size, pack.indexed);
      pack.indexed = {};
      if (!gaps) {
        const Code code = gaps.error().code();
        if (code != Code::Io && code != Code::NotFound) stop.fail(gaps.error().clone());
        return;
      }
      const std::lock_guard lock(mutex);
      for (const PackObject& object : gaps->kept) {
        if (repository.index().contains(object.id)) continue;  // another pack had it, too
        const Location place{.pack = pack.id, .offset = object.offset, .size = object.size};
        repository.index().insert(object.id, place);
        append_row({object.id, place}, result.rows);
        ++result.objects;
        result.bytes += object.size;
      }
    });
  }
  pool.drain();
  CAIRN_CHECKED(stop.result());
  return result;
}

}  // namespace cairn::repo
