#include "repo/pack_check.h"

#include <algorithm>
#include <mutex>
#include <tuple>
#include <unordered_set>

#include <fmt/format.h>

#include "base/log.h"
#include "exec/memory_bound.h"
#include "exec/stop.h"
#include "hash/blake3.h"
#include "repo/checked_packs.h"

namespace cairn::repo {
namespace {

constexpr std::string_view kLogger = "borg.repository";
constexpr std::uint64_t kPiece = std::uint64_t{1} << 20U;
constexpr Nanoseconds kSaveInterval = 30 * 60 * kSecond;
constexpr Nanoseconds kFutureTolerance = 7200 * kSecond;

void info(const std::string& message) { log(Level::Info, kLogger, message); }
void error(const std::string& message) { log(Level::Error, kLogger, message); }

struct StoredPack {
  PackId id;
  std::uint64_t size = 0;
  std::optional<PackRecord> record{};
};

class PackCheck {
 public:
  PackCheck(Repository& repository, exec::Pool& pool, const PackCheckOptions& options)
      : repository_(repository),
        store_(repository.store()),
        pool_(pool),
        options_(options),
        clock_(options.clock != nullptr ? *options.clock : system_clock()),
        records_(store_, repository.objects()),
        pieces_(pool, [] { return std::make_unique<Buffer>(); }) {}

  Result<PackCheckReport> run();

 private:
  Status check_index_files();
  Status list_packs();
  Status compare_with_index();
  Status check_all_packs();
  void choose_packs();
  void check_one(const StoredPack& pack, exec::Worker& worker);
  Result<bool> is_intact(const StoredPack& pack, Buffer& piece) const;
  Status save_records();
  bool interrupted() const { return options_.interrupted != nullptr && *options_.interrupted; }
  bool partial() const { return options_.max_duration.has_value(); }
  std::uint64_t now() const { return static_cast<std::uint64_t>(clock_.now() / kSecond); }

  Repository& repository_;
  store::Store& store_;
  exec::Pool& pool_;
  const PackCheckOptions& options_;
  const Clock& clock_;
  CheckedPacks records_;
  exec::PerWorker<Buffer> pieces_;
  std::vector<StoredPack> packs_;
  PackCheckReport report_;
  std::mutex mutex_;  // records_ and report_ while packs are hashed
  exec::Stop stop_;
};

Status PackCheck::check_index_files() {
  CAIRN_TRY(const auto names, repository_.fragments().list());
  std::uint64_t done = 0;
  for (const std::string& name : names) {
    const auto matches = repository_.fragments().name_matches(name);
    if (!matches && matches.error().code() == Code::NotFound) continue;
    if (!matches) return fail(matches.error().clone());
    ++report_.index_files;
    if (!*matches) {
      ++report_.index_errors;
      error(fmt::format("Store object {} is corrupted: content does not match its name (store hash).", name));
    }
    if (options_.index_progress) options_.index_progress(++done, names.size());
  }
  return {};
}

Status PackCheck::list_packs() {
  CAIRN_TRY(const auto entries, store_.list("packs"));
  packs_.reserve(entries.size());
  for (const store::Entry& entry : entries) {
    const auto id = PackId::from_hex(entry.name);
    if (!id || id->hex() != entry.name) {
      error(fmt::format("Store object packs/{} has an invalid name.", entry.name));
      ++report_.pack_errors;
      continue;
    }
    packs_.push_back({.id = *id, .size = entry.size, .record = records_.find(*id)});
  }
  return {};
}

// Missing and unreferenced packs. Nothing can be said while the index waits for its rebuild.
Status PackCheck::compare_with_index() {
  CAIRN_TRY(const store::Info marker, store_.info(kInvalidMarker));
  if (marker.exists) {
    info("chunk index is invalid (interrupted operation); it will be rebuilt on next use.");
    return {};
  }
  if (report_.index_files == 0) {
    log(Level::Warning, kLogger,
        "Cannot cross-check packs against the chunk index: the index could not be loaded from its fragments; "
        "skipping missing-pack detection.");
    return {};
  }
  CAIRN_CHECKED(repository_.load_index(options_.repair ? BadFragments::LeaveOut : BadFragments::Salvage, pool_));
  // A fragment may carry the right name and still not be authentic.
  const auto& bad = repository_.index_load().bad_fragments;
  for (const std::string& name : bad) {
    CAIRN_TRY(const bool matches, repository_.fragments().name_matches(name));
    if (!matches) continue;  // counted already
    ++report_.index_errors;
    error(fmt::format("Store object {} is corrupted: it is no authentic index of this repository.", name));
  }

  std::vector<bool> referenced;
  repository_.index().for_each([&](const ChunkIndex::Entry& entry) {
    if (entry.pack >= referenced.size()) referenced.resize(entry.pack + 1, false);
    referenced[entry.pack] = true;
  });
  std::unordered_set<PackId> named;
  for (std::size_t number = 0; number < referenced.size(); ++number) {
    if (!referenced[number]) continue;
    if (const auto pack = repository_.index().pack_name(static_cast<PackNumber>(number))) named.insert(*pack);
  }
  for (const StoredPack& pack : packs_) {
    if (named.erase(pack.id) == 0) ++report_.unreferenced;
  }
  for (const PackId& pack : named) {
    CAIRN_TRY(const store::Info found, store_.info(fmt::format("packs/{}", pack.hex())));
    if (!found.exists) report_.missing.push_back(pack);
  }
  std::ranges::sort(report_.missing);
  if (report_.unreferenced > 0) {
    info(fmt::format("{} pack(s) are not referenced by the index.", report_.unreferenced));
  }
  return {};
}

// Leaves out what is known well enough, and orders the rest.
void PackCheck::choose_packs() {
  if (options_.max_age) {
    const Nanoseconds age = *options_.max_age;
    const Nanoseconds now = clock_.now();
    const Nanoseconds future = std::min(kFutureTolerance, age);
    report_.reused = std::erase_if(packs_, [&](const StoredPack& pack) {
      if (!pack.record || !pack.record->intact) return false;
      constexpr std::uint64_t kFarFuture = 1ULL << 33U;  // beyond what fits in nanoseconds
      if (pack.record->timestamp > kFarFuture) return false;
      const Nanoseconds since = now - static_cast<Nanoseconds>(pack.record->timestamp) * kSecond;
      return since < age && since >= -future;
    });
  }
  if (partial()) {
    std::ranges::sort(packs_, [](const StoredPack& a, const StoredPack& b) {
      auto checked = [](const StoredPack& pack) { return pack.record ? pack.record->timestamp : std::uint64_t{0}; };
      return std::tuple(checked(a), a.id) < std::tuple(checked(b), b.id);
    });
  }
}

Result<bool> PackCheck::is_intact(const StoredPack& pack, Buffer& piece) const {
  const std::string name = fmt::format("packs/{}", pack.id.hex());
  hash::Blake3 hasher;
  for (std::uint64_t offset = 0; offset < pack.size; offset += piece.size()) {
    CAIRN_CHECKED(store_.load_range(name, offset, kPiece, piece));
    if (piece.empty()) return false;  // shorter than listed
    exec::memory_bound(exec::side_by_side(piece.size()), [&] { hasher.update(piece); });
  }
  return hasher.finish().raw == pack.id.raw;
}

void PackCheck::check_one(const StoredPack& pack, exec::Worker& worker) {
  const auto intact = is_intact(pack, pieces_(worker));
  const std::lock_guard lock(mutex_);
  if (!intact && intact.error().code() == Code::NotFound) return;  // listed, and gone since
  if (!intact && intact.error().code() != Code::Io) {
    stop_.fail(intact.error().clone());
    return;
  }
  ++report_.packs;
  const bool good = intact && *intact;
  records_.record(pack.id, {.timestamp = now(), .intact = good});
  if (good) return;
  ++report_.pack_errors;
  report_.corrupt.push_back(pack.id);
  const std::string name = fmt::format("packs/{}", pack.id.hex());
  if (intact) {
    error(fmt::format("Store object {} is corrupted: content does not match its name (store hash).", name));
  } else {  // a bad sector costs one pack, not the check
    error(fmt::format("Store object {} cannot be read: {}", name, intact.error().text()));
  }
}

Status PackCheck::save_records() {
  const std::lock_guard lock(mutex_);
  return records_.save();
}

Status PackCheck::check_all_packs() {
  const Nanoseconds start = clock_.monotonic();
  Nanoseconds saved = start;
  std::uint64_t done = 0;
  bool stopped = false;
  for (const StoredPack& pack : packs_) {
    if (stop_.requested() || interrupted()) break;
    const Nanoseconds time = clock_.monotonic();
    if (partial() && time - start >= *options_.max_duration) {
      stopped = true;
      break;
    }
    if (time - saved >= kSaveInterval) {
      CAIRN_CHECKED(repository_.check_lock());
      CAIRN_CHECKED(save_records());
      saved = time;
    }
    pool_.submit(
        pool_.main_worker(), exec::Lane::Begin,
        [this, &pack](exec::Worker& worker) {
          if (!stop_.requested() && !interrupted()) check_one(pack, worker);
        },
        exec::Load::Memory);
    if (options_.pack_progress) options_.pack_progress(++done, packs_.size());
  }
  pool_.drain();
  CAIRN_CHECKED(repository_.check_lock());
  CAIRN_CHECKED(save_records());
  CAIRN_CHECKED(stop_.result());
  if (interrupted()) return fail(Code::Interrupted, "Got Ctrl-C, the check is not complete.");
  info(stopped ? "Finished checking packs, the time is up." : "Finished checking packs.");
  return {};
}

Result<PackCheckReport> PackCheck::run() {
  info(fmt::format("Starting {} repository check", partial() ? "partial" : "full"));
  CAIRN_CHECKED(records_.load());
  if (records_.size() == 0) {
    info("Starting from beginning.");
  } else {
    info(fmt::format("{} pack check results on record, {}.", records_.size(),
                     partial()          ? "verifying the least-recently-checked packs first"
                     : options_.max_age ? "reusing those younger than --max-age"
                                        : "verifying every pack"));
  }
  CAIRN_CHECKED(check_index_files());
  CAIRN_CHECKED(list_packs());
  std::unordered_set<PackId> present;
  for (const StoredPack& pack : packs_) present.insert(pack.id);
  records_.keep_only([&](const PackId& pack) { return present.contains(pack); });
  present.clear();
  CAIRN_CHECKED(compare_with_index());
  choose_packs();
  CAIRN_CHECKED(check_all_packs());

  info(fmt::format("Checked {} index files ({} errors) and {} packs ({} errors).{}", report_.index_files,
                   report_.index_errors, report_.packs, report_.pack_errors,
                   report_.reused > 0 ? fmt::format(" Reused {} recent pack check result(s).", report_.reused) : ""));
  std::ranges::sort(report_.corrupt);
  if (!report_.corrupt.empty()) {
    error(fmt::format("Found {} corrupt pack(s):", report_.corrupt.size()));
    for (const PackId& pack : report_.corrupt) error(fmt::format("Corrupt pack: {}", pack.hex()));
  }
  if (!report_.missing.empty()) {
    error(fmt::format("{} pack(s) referenced by the index are missing:", report_.missing.size()));
    for (const PackId& pack : report_.missing) error(fmt::format("Missing pack: {}", pack.hex()));
    error("The chunks stored in these packs are lost.");
    if (!options_.repair) error("Run \"borg check --repair\" to remove their entries from the repository index.");
  }
  const std::string_view kind = partial() ? "partial" : "full";
  if (report_.problems()) {
    const std::string_view what = !options_.repair           ? "errors found"
                                  : !report_.corrupt.empty() ? "corrupt pack(s) found"
                                  : !report_.missing.empty() ? "missing pack(s) found"
                                                             : "errors found";
    error(fmt::format("Finished {} repository check, {}.", kind, what));
  } else {
    info(fmt::format("Finished {} repository check, no problems found.", kind));
  }
  return std::move(report_);
}

}  // namespace

Result<PackCheckReport> check_packs(Repository& repository, exec::Pool& pool, const PackCheckOptions& options) {
  return PackCheck(repository, pool, options).run();
}

}  // namespace cairn::repo
