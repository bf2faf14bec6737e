#include "repo/pack_survey.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <mutex>
#include <unordered_set>

#include <fmt/format.h>

#include "base/log.h"
#include "exec/stop.h"
#include "repo/pack_walk.h"

namespace cairn::repo {
namespace {

constexpr std::string_view kLogger = "borg.repository";

struct FoundObject {
  ChunkId id;
  std::uint32_t offset = 0;
  std::uint32_t size = 0;
  char type = 0;
};

struct WalkedPack {
  PackId id;
  std::vector<FoundObject> objects;
  bool damaged = false;
  bool unreadable = false;
};

// Walks every pack; `take` gets them in any order, one at a time.
Status walk_every_pack(Repository& repository, exec::Pool& pool, const std::function<bool(char type)>& wanted,
                       const std::function<void(const WalkedPack&)>& take, const Progress& progress,
                       const std::atomic<bool>* interrupted) {
  store::Store& store = repository.store();
  CAIRN_TRY(const auto listed, store.list("packs"));
  exec::PerWorker<ObjectReader> readers(pool, [&repository] { return repository.make_reader(); });
  exec::Stop stop;
  std::mutex mutex;
  std::uint64_t done = 0;
  auto stopped = [&] { return stop.requested() || (interrupted != nullptr && *interrupted); };
  for (const store::Entry& entry : listed) {
    const auto id = PackId::from_hex(entry.name);
    if (!id || id->hex() != entry.name) continue;  // the pack check has told about it
    if (stopped()) break;
    pool.submit(pool.main_worker(), exec::Lane::Begin, [&, pack = *id, size = entry.size](exec::Worker& worker) {
      if (stopped()) return;
      WalkedPack found{.id = pack, .objects = {}};
      const auto walked = walk_pack(store, fmt::format("packs/{}", pack.hex()), 0, size, &readers(worker),
                                    [&](const WalkedObject& object) {
                                      if (object.offset > std::numeric_limits<std::uint32_t>::max())
                                        return;  // no entry could name it
                                      if (!wanted(object.meta.type)) return;
                                      found.objects.push_back({.id = object.id,
                                                               .offset = static_cast<std::uint32_t>(object.offset),
                                                               .size = static_cast<std::uint32_t>(object.size),
                                                               .type = object.meta.type});
                                    });
      if (walked) {
        found.damaged = walked->damaged_ranges > 0;
        if (found.damaged) {
          log(Level::Warning, kLogger,
              fmt::format("Pack {}: {} bytes in {} ranges are no genuine objects.", pack.hex(), walked->damaged_bytes,
                          walked->damaged_ranges));
        }
      } else if (walked.error().code() == Code::Io) {
        found.unreadable = true;
        log(Level::Error, kLogger, fmt::format("Pack {} cannot be read: {}", pack.hex(), walked.error().text()));
      } else if (walked.error().code() == Code::NotFound) {
        return;  // listed, and gone since
      } else {
        stop.fail(walked.error().clone());
        return;
      }
      const std::lock_guard lock(mutex);
      take(found);
      ++done;
      if (progress) progress(done, listed.size());
    });
  }
  pool.drain();
  CAIRN_CHECKED(stop.result());
  if (stopped()) return fail(Code::Interrupted, "Got Ctrl-C, not all packs were read.");
  return {};
}

}  // namespace

Result<PackSurvey> survey_packs(Repository& repository, exec::Pool& pool, const Progress& progress,
                                const std::atomic<bool>* interrupted) {
  ChunkIndex& index = repository.index();
  PackSurvey survey;
  index.clear_used();  // the mark says here: seen where the index says
  auto take = [&](const WalkedPack& pack) {
    if (pack.damaged) survey.damaged.push_back(pack.id);
    if (pack.unreadable) survey.unreadable.push_back(pack.id);
    for (const FoundObject& object : pack.objects) {
      const Location here{.pack = pack.id, .offset = object.offset, .size = object.size};
      const auto known = index.find(object.id);
      if (!known) {
        index.insert(object.id, here);
        ++survey.found;
      }
      if (!known || *known == here) {
        index.mark_used(object.id, 0);
      } else {
        survey.copies.push_back({.id = object.id, .location = here});
      }
      if (object.type == 'A') survey.archives.push_back(object.id);
    }
  };
  CAIRN_CHECKED(walk_every_pack(repository, pool, [](char) { return true; }, take, progress, interrupted));
  std::ranges::sort(survey.copies);
  std::ranges::sort(survey.archives);
  survey.archives.erase(std::ranges::unique(survey.archives).begin(), survey.archives.end());
  std::ranges::sort(survey.damaged);
  std::ranges::sort(survey.unreadable);

  std::vector<PlacedChunk> unseen;
  index.for_each([&](const ChunkIndex::Entry& entry) {
    if (entry.used) return;
    if (const auto pack = index.pack_name(entry.pack)) unseen.push_back({entry.id, {*pack, entry.offset, entry.size}});
  });
  for (PlacedChunk& entry : unseen) {
    const auto copy = std::ranges::lower_bound(survey.copies, entry.id, {}, &PlacedChunk::id);
    if (copy != survey.copies.end() && copy->id == entry.id) {
      index.insert(entry.id, copy->location);
      ++survey.moved;
    } else if (!std::ranges::binary_search(survey.damaged, entry.location.pack) &&
               !std::ranges::binary_search(survey.unreadable, entry.location.pack)) {
      index.erase(entry.id);
      survey.lost.push_back(entry);
    }
  }
  std::ranges::sort(survey.lost);
  index.clear_used();
  return survey;
}

Result<std::vector<ChunkId>> find_archive_objects(Repository& repository, exec::Pool& pool,
                                                  const std::atomic<bool>* interrupted) {
  std::vector<ChunkId> archives;
  CAIRN_CHECKED(walk_every_pack(
      repository, pool, [](char type) { return type == 'A'; },
      [&](const WalkedPack& pack) {
        for (const FoundObject& object : pack.objects) archives.push_back(object.id);
      },
      {}, interrupted));
  std::ranges::sort(archives);
  archives.erase(std::ranges::unique(archives).begin(), archives.end());
  return archives;
}

}  // namespace cairn::repo
