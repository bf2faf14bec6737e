#include "repo/pack_salvage.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "base/log.h"
#include "exec/stop.h"
#include "hash/blake3.h"
#include "repo/pack_walk.h"

namespace cairn::repo {
namespace {

constexpr std::string_view kLogger = "borg.repository";
constexpr std::size_t kSavers = 2;
constexpr std::uint64_t kPiece = std::uint64_t{1} << 20U;
constexpr std::uint64_t kGrain = std::uint64_t{64} << 10U;  // what is given up at once where the disk fails
constexpr std::uint64_t kMostGrains = 64;                   // and how often, before the rest of a pack is

std::string pack_object(const PackId& pack) { return fmt::format("packs/{}", pack.hex()); }

struct StoredObject {
  ChunkId id;
  std::uint32_t offset = 0;
  std::uint32_t size = 0;
  bool walked = false;  // its header is genuine; else only the index speaks of it
};

// Reads a pack in which the disk may have bad places: these read as zeros, which nothing genuine is.
class BrokenDisk {
 public:
  BrokenDisk(store::Store& store, const PackId& pack) : store_(store), name_(pack_object(pack)) {}

  Status load(std::uint64_t offset, std::uint64_t size, Buffer& out) {
    if (failures_ == 0) {
      auto status = store_.load_range(name_, offset, size, out);
      if (status || status.error().code() != Code::Io) return status;
    }
    out.clear();
    for (std::uint64_t at = offset; at < offset + size;) {
      const std::uint64_t wanted = std::min(kGrain - at % kGrain, offset + size - at);
      CAIRN_TRY(const std::uint64_t got, load_grain(at, wanted, out));
      if (got < wanted) break;
      at += wanted;
    }
    return {};
  }
  bool failed() const { return failures_ > 0; }

 private:
  Result<std::uint64_t> load_grain(std::uint64_t at, std::uint64_t wanted, Buffer& out) {
    if (failures_ < kMostGrains) {
      auto status = store_.load_range(name_, at, wanted, grain_);
      if (status) {
        out.append(grain_);
        return grain_.size();
      }
      if (status.error().code() != Code::Io) return fail(std::move(status).error());
      ++failures_;
    }
    const std::size_t before = out.size();
    out.resize(before + wanted);
    std::fill_n(out.data() + before, wanted, std::byte{0});
    return wanted;
  }

  store::Store& store_;
  const std::string name_;
  std::uint64_t failures_ = 0;
  Buffer grain_;
};

class Salvage {
 public:
  Salvage(Repository& repository, exec::Pool& pool, std::span<const PackId> suspects,
          std::span<const PlacedChunk> copies, const SalvageOptions& options)
      : repository_(repository),
        store_(repository.store()),
        pool_(pool),
        copies_(copies),
        options_(options),
        todo_(suspects.begin(), suspects.end()),
        suspect_(suspects.begin(), suspects.end()) {
    std::ranges::sort(todo_);
  }

  Result<SalvageReport> run();

 private:
  struct Scratch {
    explicit Scratch(const Repository& repository) : reader(repository.make_reader()) {}
    std::unique_ptr<ObjectReader> reader;
    Buffer piece, object, plain, output;
    std::vector<StoredObject> moved;  // by their places in the output
  };
  enum class Fate { Waiting, Sound, Done, Unreadable };

  Status work_through();
  Result<Fate> save(const PackId& pack, Scratch& mine);
  Result<bool> is_what_its_name_says(BrokenDisk& disk, const PackId& pack, std::uint64_t size, Scratch& mine) const;
  Result<bool> is_good(const StoredObject& object, Scratch& mine) const;
  Result<bool> mend_header(const StoredObject& object, Scratch& mine) const;
  Result<bool> is_needed(const ChunkId& id, Scratch& mine) const;
  void adopt(const PackId& pack, const std::vector<StoredObject>& objects);
  Status store_output(Scratch& mine, std::optional<PackId>& name);
  Status settle();
  Result<bool> use_copy(const ChunkId& id, const std::unordered_set<PackId>& through, Scratch& mine);
  Status remove_done();
  bool interrupted() const { return options_.interrupted != nullptr && *options_.interrupted; }

  Repository& repository_;
  store::Store& store_;
  exec::Pool& pool_;
  const std::span<const PlacedChunk> copies_;
  const SalvageOptions& options_;
  std::vector<PackId> todo_;
  std::unordered_set<PackId> suspect_;
  std::unordered_map<PackId, std::vector<StoredObject>> indexed_;  // what the index places in them
  std::vector<Fate> fates_;                                        // of todo_
  bool full_ = false;                                              // the disk
  std::size_t savers_ = kSavers;
  std::mutex mutex_;  // what follows, and fates_, while workers run
  std::unordered_set<PackId> written_;
  SalvageReport report_;
};

// Sound packs, and new ones, are the better place. Nobody may have looked into them, so their copy is looked at now.
Result<bool> Salvage::is_needed(const ChunkId& id, Scratch& mine) const {
  const auto place = repository_.index().find(id);
  if (!place || suspect_.contains(place->pack)) return true;
  if (auto status = store_.load_range(pack_object(place->pack), place->offset, place->size, mine.object); !status) {
    if (status.error().code() == Code::NotFound || status.error().code() == Code::Io) return true;
    return fail(std::move(status).error());
  }
  CAIRN_TRY(const bool good, is_good({.id = id, .size = place->size}, mine));
  return !good;
}

Result<bool> Salvage::is_what_its_name_says(BrokenDisk& disk, const PackId& pack, std::uint64_t size,
                                            Scratch& mine) const {
  hash::Blake3 hasher;
  for (std::uint64_t offset = 0; offset < size; offset += mine.piece.size()) {
    CAIRN_CHECKED(disk.load(offset, std::min(kPiece, size - offset), mine.piece));
    if (mine.piece.empty()) return false;
    hasher.update(mine.piece);
  }
  return hasher.finish().raw == pack.raw;
}

// The object is in mine.object. What only a later version could read is not damaged.
Result<bool> Salvage::is_good(const StoredObject& object, Scratch& mine) const {
  if (mine.object.size() != object.size) return false;
  const auto payload = mine.reader->read_payload(mine.object, object.id);
  if (!payload) return false;
  if (options_.verify == Verify::Envelope || !compress::is_known_type(payload->meta.facts.ctype)) return true;
  const auto read = mine.reader->read(mine.object, object.id, kAnyType, Verify::Id, mine.plain);
  if (read) return true;
  const Code code = read.error().code();
  if (code == Code::Integrity || code == Code::Decompression) return false;
  return fail(read.error().clone());
}

// Everything in a header but one of its two sizes is known, and both slots authenticate it.
Result<bool> Salvage::mend_header(const StoredObject& object, Scratch& mine) const {
  if (mine.object.size() != object.size || object.size < kObjectHeaderSize) return false;
  std::byte* start = mine.object.data();
  const std::uint32_t slots = object.size - static_cast<std::uint32_t>(kObjectHeaderSize);
  const auto meta_size = load_le<std::uint32_t>(start + 41);
  const auto data_size = load_le<std::uint32_t>(start + 45);
  for (const std::uint32_t meta : {meta_size, slots - std::min(slots, data_size)}) {
    if (meta > slots || meta > kMaxMetaSlot) continue;
    encode_header({.id = object.id, .meta_size = meta, .data_size = slots - meta}, start);
    CAIRN_TRY(const bool good, is_good(object, mine));
    if (good) return true;
  }
  return false;
}

// What a sound pack holds stays there. The survey may have failed to read it, or know a worse copy.
void Salvage::adopt(const PackId& pack, const std::vector<StoredObject>& objects) {
  ChunkIndex& index = repository_.index();
  for (const StoredObject& object : objects) {
    const auto place = index.find(object.id);
    if (place && place->pack == pack) continue;
    index.insert(object.id, {.pack = pack, .offset = object.offset, .size = object.size});
    const std::lock_guard lock(mutex_);
    ++report_.found;
  }
}

Status Salvage::store_output(Scratch& mine, std::optional<PackId>& name) {
  if (mine.output.empty()) return {};
  name = PackId{hash::blake3(mine.output).raw};
  CAIRN_CHECKED(repository_.check_lock());
  CAIRN_CHECKED(store_.put(pack_object(*name), mine.output));
  {
    const std::lock_guard lock(mutex_);
    written_.insert(*name);
    report_.saved += mine.moved.size();
  }
  for (const StoredObject& object : mine.moved) {
    repository_.index().insert(object.id, {.pack = *name, .offset = object.offset, .size = object.size});
  }
  return {};
}

// The good objects of one pack into another one.
Result<Salvage::Fate> Salvage::save(const PackId& pack, Scratch& mine) {
  CAIRN_TRY(const store::Info info, store_.info(pack_object(pack)));
  if (!info.exists) return Fate::Done;
  BrokenDisk disk(store_, pack);
  CAIRN_TRY(bool sound, is_what_its_name_says(disk, pack, info.size, mine));
  std::vector<StoredObject> objects;
  const LoadRange load = [&](std::uint64_t offset, std::uint64_t size, Buffer& out) {
    return disk.load(offset, size, out);
  };
  CAIRN_TRY(const WalkResult walked, walk_pack(load, 0, info.size, mine.reader.get(), [&](const WalkedObject& object) {
              if (object.offset > ~std::uint32_t{0}) return;
              objects.push_back({.id = object.id,
                                 .offset = static_cast<std::uint32_t>(object.offset),
                                 .size = static_cast<std::uint32_t>(object.size),
                                 .walked = true});
            }));
  if (walked.damaged_ranges > 0) sound = false;
  if (const auto known = indexed_.find(pack); known != indexed_.end()) {
    const std::size_t walked_objects = objects.size();
    for (const StoredObject& entry : known->second) {
      const auto end = objects.begin() + static_cast<std::ptrdiff_t>(walked_objects);
      const auto there = std::lower_bound(objects.begin(), end, entry.offset,
                                          [](const StoredObject& o, auto offset) { return o.offset < offset; });
      if (there == end || there->offset != entry.offset || there->id != entry.id) objects.push_back(entry);
    }
  }
  std::ranges::sort(objects, {}, &StoredObject::offset);

  mine.output.clear();
  mine.moved.clear();
  std::vector<StoredObject> good_ones;  // by their places here
  std::uint64_t bad = 0;
  for (const StoredObject& object : objects) {
    if (object.size > kMaxObjectSize) continue;
    CAIRN_TRY(const bool needed, is_needed(object.id, mine));
    if (!needed) continue;
    CAIRN_CHECKED(disk.load(object.offset, object.size, mine.object));
    CAIRN_TRY(const bool good, object.walked ? is_good(object, mine) : mend_header(object, mine));
    if (!good) {
      ++bad;
      continue;
    }
    mine.moved.push_back(
        {.id = object.id, .offset = static_cast<std::uint32_t>(mine.output.size()), .size = object.size});
    mine.output.append(mine.object);
    good_ones.push_back(object);
  }
  if (sound && bad == 0) {
    adopt(pack, good_ones);
    return Fate::Sound;
  }
  std::optional<PackId> name;
  CAIRN_CHECKED(store_output(mine, name));
  log(Level::Warning, kLogger,
      name ? fmt::format("Pack {}: {} good objects moved to pack {}, {} damaged.", pack.hex(), mine.moved.size(),
                         name->hex(), bad)
           : fmt::format("Pack {}: no object to save, {} damaged.", pack.hex(), bad));
  return disk.failed() ? Fate::Unreadable : Fate::Done;
}

Status Salvage::work_through() {
  exec::Stop stop;
  std::atomic<std::size_t> next{0};
  std::atomic<bool> full{false};
  auto work = [&](exec::Worker&) {
    Scratch mine(repository_);
    while (!stop.requested() && !full && !interrupted()) {
      const std::size_t number = next.fetch_add(1);
      if (number >= todo_.size()) return;
      const auto fate = save(todo_[number], mine);
      if (fate) {
        const std::lock_guard lock(mutex_);
        fates_[number] = *fate;
      } else if (fate.error().code() == Code::NoSpace) {
        full = true;
      } else {
        stop.fail(fate.error().clone());
      }
    }
  };
  for (std::size_t i = 0; i < std::min<std::size_t>({savers_, pool_.threads(), todo_.size()}); ++i) {
    pool_.submit(pool_.main_worker(), exec::Lane::Begin, work);
  }
  pool_.drain();
  full_ = full;
  return stop.result();
}

// Another genuine copy of an object that was not saved.
Result<bool> Salvage::use_copy(const ChunkId& id, const std::unordered_set<PackId>& through, Scratch& mine) {
  const auto same_id = std::ranges::equal_range(copies_, id, {}, &PlacedChunk::id);
  for (const PlacedChunk& copy : same_id) {
    if (through.contains(copy.location.pack)) continue;
    if (auto status =
            store_.load_range(pack_object(copy.location.pack), copy.location.offset, copy.location.size, mine.object);
        !status) {
      if (status.error().code() == Code::Io) report_.unreadable.push_back(copy.location.pack);
      if (status.error().code() == Code::NotFound || status.error().code() == Code::Io) continue;
      return fail(std::move(status).error());
    }
    CAIRN_TRY(const bool good, is_good({.id = id, .size = copy.location.size}, mine));
    if (!good) continue;
    repository_.index().insert(id, copy.location);
    return true;
  }
  return false;
}

// Entries that still name a pack that is through have lost their object.
Status Salvage::settle() {
  std::unordered_set<PackId> through;
  for (std::size_t i = 0; i < todo_.size(); ++i) {
    if (fates_[i] == Fate::Done && !written_.contains(todo_[i])) through.insert(todo_[i]);
  }
  ChunkIndex& index = repository_.index();
  std::vector<PlacedChunk> orphans;
  index.for_each([&](const ChunkIndex::Entry& entry) {
    const auto pack = index.pack_name(entry.pack);
    if (pack && through.contains(*pack)) orphans.push_back({entry.id, {*pack, entry.offset, entry.size}});
  });
  Scratch mine(repository_);
  for (const PlacedChunk& orphan : orphans) {
    CAIRN_TRY(const bool rescued, use_copy(orphan.id, through, mine));
    if (rescued) continue;
    index.erase(orphan.id);
    report_.lost.push_back(orphan);
  }
  return {};
}

Status Salvage::remove_done() {
  CAIRN_CHECKED(repository_.check_lock());
  for (std::size_t i = 0; i < todo_.size(); ++i) {
    if (fates_[i] != Fate::Done) continue;
    ++report_.removed;
    if (written_.contains(todo_[i])) continue;  // what was damaged is replaced by what was good under the same name
    if (auto status = store_.remove(pack_object(todo_[i])); !status && status.error().code() != Code::NotFound) {
      return status;
    }
  }
  return store_.sync();
}

Result<SalvageReport> Salvage::run() {
  ChunkIndex& index = repository_.index();
  index.for_each([&](const ChunkIndex::Entry& entry) {
    const auto pack = index.pack_name(entry.pack);
    if (!pack || !suspect_.contains(*pack)) return;
    indexed_[*pack].push_back({.id = entry.id, .offset = entry.offset, .size = entry.size});
  });
  while (!todo_.empty()) {
    fates_.assign(todo_.size(), Fate::Waiting);
    auto worked = work_through();
    // What was done up to an error counts all the same.
    const auto done = static_cast<std::size_t>(std::ranges::count(fates_, Fate::Done));
    const bool saved_from_unreadable = std::ranges::count(fates_, Fate::Unreadable) > 0;
    if (done > 0 || saved_from_unreadable) {
      CAIRN_CHECKED(settle());
      log(Level::Info, kLogger, "Writing the repository chunks index.");
      CAIRN_CHECKED(repository_.replace_index());
      report_.wrote_index = true;
      CAIRN_CHECKED(remove_done());
    }
    CAIRN_CHECKED(std::move(worked));
    if (interrupted()) return fail(Code::Interrupted, "Got Ctrl-C, the repair is not complete.");
    if (full_ && done == 0 && savers_ > 1) {
      savers_ = 1;  // each was in the way of the other
      continue;
    }
    if (full_ && done == 0) {
      return fail(Code::NoSpace, "There is no space left in the repository for the good objects of a damaged pack.");
    }
    std::vector<PackId> rest;
    for (std::size_t i = 0; i < todo_.size(); ++i) {
      if (fates_[i] == Fate::Waiting) rest.push_back(todo_[i]);
      if (fates_[i] == Fate::Unreadable) report_.unreadable.push_back(todo_[i]);
    }
    todo_ = std::move(rest);
  }
  // A pack of a later round may have had what was lost in an earlier one.
  std::erase_if(report_.lost, [&](const PlacedChunk& chunk) { return index.contains(chunk.id); });
  std::ranges::sort(report_.lost);
  std::ranges::sort(report_.unreadable);
  report_.unreadable.erase(std::ranges::unique(report_.unreadable).begin(), report_.unreadable.end());
  return std::move(report_);
}

}  // namespace

Result<SalvageReport> salvage_packs(Repository& repository, exec::Pool& pool, std::span<const PackId> suspects,
                                    std::span<const PlacedChunk> copies, const SalvageOptions& options) {
  return Salvage(repository, pool, suspects, copies, options).run();
}

}  // namespace cairn::repo
