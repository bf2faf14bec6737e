#include "repo/recompress.h"

#include <algorithm>
#include <mutex>
#include <unordered_map>

#include <fmt/format.h>

#include "base/log.h"
#include "exec/stop.h"
#include "hash/blake3.h"
#include "repo/checked_packs.h"
#include "repo/pack_copy.h"

namespace cairn::repo {
namespace {

constexpr std::string_view kLogger = "borg.archiver.repo_compress_cmd";
constexpr std::size_t kPacksAtOnce = 2;

std::string pack_object(const PackId& pack) { return fmt::format("packs/{}", pack.hex()); }

class Recompression {
 public:
  Recompression(Repository& repository, exec::Pool& pool, const RecompressOptions& options)
      : repository_(repository),
        store_(repository.store()),
        pool_(pool),
        options_(options),
        tools_(pool, [&repository] { return std::make_unique<Tools>(repository); }) {}

  Result<RecompressReport> run();

 private:
  struct Tools {
    explicit Tools(const Repository& repository)
        : reader(repository.make_reader()), writer(repository.suite(), repository.material()) {}
    std::unique_ptr<ObjectReader> reader;
    ObjectWriter writer;
    compress::Compressor compressor, decoder;
    Buffer plain, decoded;
  };
  struct Pack {
    PackId id{};
    std::uint64_t size = 0;
    std::vector<PackObject> objects;  // that the index places here, by offset
  };
  enum class Outcome { Already, Kept, Recompressed };
  struct Object {
    PackObject place;
    Outcome outcome = Outcome::Kept;
    Buffer bytes;  // of a recompressed one
  };

  Status list_packs();
  Status run_pack(Pack& pack, exec::Worker& worker);
  Result<bool> load(const Pack& pack, Buffer& bytes);
  Result<std::vector<Object>> objects_of(const Pack& pack, const Buffer& bytes, std::string& why);
  Status run_object(Bytes bytes, Object& object, exec::Worker& worker);
  Status store(const Pack& pack, const Buffer& bytes, const std::vector<Object>& objects);
  Status invalidate();
  void leave_alone(const Pack& pack, std::string_view why);
  bool is_wanted(const compress::Facts& facts) const {
    return facts.ctype == static_cast<std::uint8_t>(options_.spec.method) &&
           facts.clevel == options_.spec.level_byte() && facts.olevel == wanted_olevel();
  }
  std::optional<std::uint8_t> wanted_olevel() const {
    if (!options_.spec.obfuscate) return std::nullopt;
    return static_cast<std::uint8_t>(*options_.spec.obfuscate);
  }
  bool interrupted() const { return options_.interrupted != nullptr && *options_.interrupted; }

  Repository& repository_;
  store::Store& store_;
  exec::Pool& pool_;
  const RecompressOptions& options_;
  exec::PerWorker<Tools> tools_;
  std::vector<Pack> packs_;
  std::mutex mutex_;
  RecompressReport report_;  // guarded by mutex_ while packs are done
  std::mutex invalidating_;
  bool invalid_ = false;
};

void Recompression::leave_alone(const Pack& pack, std::string_view why) {
  log(Level::Warning, kLogger, fmt::format("Pack {} is left alone: {}.", pack.id.hex(), why));
  const std::lock_guard lock(mutex_);
  report_.warnings = true;
}

Status Recompression::list_packs() {
  CAIRN_TRY(const auto entries, store_.list("packs"));
  std::unordered_map<PackId, std::size_t> numbers;
  for (const auto& entry : entries) {
    const auto id = PackId::from_hex(entry.name);
    if (!id) continue;
    packs_.push_back({.id = *id, .size = entry.size, .objects = {}});
    report_.size_before += entry.size;
  }
  std::ranges::sort(packs_, {}, &Pack::id);
  for (std::size_t i = 0; i < packs_.size(); ++i) numbers[packs_[i].id] = i;
  report_.packs = packs_.size();
  report_.size_after = report_.size_before;
  const ChunkIndex& index = repository_.index();
  std::unordered_map<PackNumber, Pack*> by_number;
  index.for_each([&](const ChunkIndex::Entry& entry) {
    if (!entry.placed) return;
    auto [known, is_new] = by_number.try_emplace(entry.pack, nullptr);
    if (is_new) {
      const auto name = index.pack_name(entry.pack);
      const auto found = name ? numbers.find(*name) : numbers.end();
      if (found != numbers.end()) known->second = &packs_[found->second];
    }
    if (known->second == nullptr) return;
    known->second->objects.push_back(
        {.id = entry.id, .offset = entry.offset, .size = entry.size, .used = true, .indexed = true});
  });
  CheckedPacks records(store_, repository_.objects());
  CAIRN_CHECKED(records.load());
  for (Pack& pack : packs_) {
    std::ranges::sort(pack.objects, {}, &PackObject::offset);
    report_.objects += pack.objects.size();
    const auto record = records.find(pack.id);
    if (!record || record->intact) continue;
    leave_alone(pack, "a check found it corrupt");
    pack.objects.clear();
  }
  return {};
}

// False if it cannot be read.
Result<bool> Recompression::load(const Pack& pack, Buffer& bytes) {
  auto status = store_.load_range(pack_object(pack.id), 0, pack.size, bytes);
  if (status && bytes.size() == pack.size) return true;
  if (!status && status.error().code() != Code::Io && status.error().code() != Code::NotFound) {
    return fail(std::move(status).error());
  }
  leave_alone(pack, status ? std::string("it is shorter than listed") : status.error().text());
  return false;
}

// All that is worth keeping, by offset. Empty, and `why` says why, if the pack cannot be trusted.
Result<std::vector<Recompression::Object>> Recompression::objects_of(const Pack& pack, const Buffer& bytes,
                                                                     std::string& why) {
  if (!are_disjoint(pack.objects, pack.size)) {
    why = "index entries contradict it";
    return std::vector<Object>();
  }
  std::vector<PackObject> places = pack.objects;
  std::uint64_t indexed = 0;
  for (const PackObject& place : places) indexed += place.size;
  if (indexed != pack.size) {
    PackCopier copier(repository_);
    CAIRN_TRY(const Gaps gaps,
              copier.survey_gaps(pack.id, pack.size, pack.objects, [](const PackId&) { return false; }));
    const auto reader = repository_.make_reader();
    const bool genuine = !gaps.damaged && std::ranges::all_of(gaps.kept, [&](const PackObject& place) {
      return reader->authenticate(bytes.view(place.offset, place.size), place.id).has_value();
    });
    if (!genuine) {
      why = "damage lies outside of indexed objects";
      return std::vector<Object>();
    }
    places.insert(places.end(), gaps.kept.begin(), gaps.kept.end());
    std::ranges::sort(places, {}, &PackObject::offset);
  }
  std::vector<Object> objects;
  for (const PackObject& place : places) objects.push_back({.place = place, .outcome = Outcome::Kept, .bytes = {}});
  return objects;
}

Status Recompression::run_object(Bytes bytes, Object& object, exec::Worker& worker) {
  Tools& mine = tools_(worker);
  CAIRN_TRY(const ObjectReader::Payload payload, mine.reader->read_payload(bytes, object.place.id));
  if (is_wanted(payload.meta.facts)) {
    object.outcome = Outcome::Already;
    return {};
  }
  CAIRN_CHECKED(mine.decoder.decompress(payload.meta.facts, payload.meta.size, payload.bytes, mine.plain));
  if (repository_.id_hash()(mine.plain) != object.place.id) return fail(Code::Integrity, "id verification failed");
  CAIRN_TRY(const compress::Compressed compressed,
            mine.compressor.compress(options_.spec, mine.plain, payload.meta.type == 'F'));
  const compress::Facts& facts = compressed.facts;
  if (facts.ctype == payload.meta.facts.ctype && facts.clevel == payload.meta.facts.clevel &&
      facts.olevel == payload.meta.facts.olevel) {
    object.outcome = Outcome::Kept;
    return {};
  }
  // A compressor's fault must not become a lost file: the old bytes are about to go.
  CAIRN_CHECKED(mine.decoder.decompress(facts, mine.plain.size(), compressed.payload, mine.decoded));
  if (text_of(mine.decoded) != text_of(mine.plain)) {
    return fail(Code::Error, fmt::format("what {} made of it does not decode to the same bytes", options_.spec.text()));
  }
  const ObjectMeta meta{.type = payload.meta.type, .size = mine.plain.size(), .facts = facts};
  CAIRN_TRY(const std::size_t size, mine.writer.prepare(object.place.id, meta, compressed.payload));
  object.bytes.resize(size);
  CAIRN_CHECKED(mine.writer.write(object.bytes.span()));
  object.outcome = Outcome::Recompressed;
  return {};
}

Status Recompression::run_pack(Pack& pack, exec::Worker& worker) {
  if (pack.objects.empty()) return {};
  Buffer bytes;
  CAIRN_TRY(const bool is_loaded, load(pack, bytes));
  if (!is_loaded) return {};
  std::string why;
  CAIRN_TRY(std::vector<Object> objects, objects_of(pack, bytes, why));
  exec::Stop failed;
  std::atomic<std::size_t> open{objects.size()};
  for (Object& object : objects) {
    pool_.submit(worker, exec::Lane::Finish, [&](exec::Worker& on) {
      if (object.place.indexed && !failed.requested()) {
        const Bytes old = bytes.view(object.place.offset, object.place.size);
        if (auto status = run_object(old, object, on); !status) {
          failed.fail(Error(status.error().code(),
                            fmt::format("chunk {}: {}", object.place.id.hex(), status.error().message())));
        }
      }
      open.fetch_sub(1, std::memory_order_acq_rel);
      on.pool().notify();
    });
  }
  pool_.wait_until(worker, exec::Lane::Finish, [&open] { return open.load(std::memory_order_acquire) == 0; });
  if (auto status = failed.result(); !status) why = status.error().message();
  if (!why.empty()) {
    leave_alone(pack, why);
    return {};
  }
  const auto count = [&](Outcome outcome) {
    return static_cast<std::uint64_t>(std::ranges::count_if(
        objects, [&](const Object& object) { return object.place.indexed && object.outcome == outcome; }));
  };
  const std::uint64_t recompressed = count(Outcome::Recompressed);
  if (recompressed > 0) CAIRN_CHECKED(store(pack, bytes, objects));
  const std::lock_guard lock(mutex_);
  report_.recompressed += recompressed;
  report_.already += count(Outcome::Already);
  report_.kept += count(Outcome::Kept);
  return {};
}

Status Recompression::invalidate() {
  const std::lock_guard lock(invalidating_);
  if (invalid_) return {};
  CAIRN_CHECKED(repository_.check_lock());
  CAIRN_CHECKED(repository_.fragments().invalidate());
  invalid_ = true;
  return {};
}

// One pack, or several if what is compressed less is too much for one. They are durable before the old one goes.
Status Recompression::store(const Pack& pack, const Buffer& bytes, const std::vector<Object>& objects) {
  CAIRN_CHECKED(invalidate());
  struct Moved {
    ChunkId id;
    Location location;
  };
  std::vector<Moved> moved;
  std::uint64_t size_after = 0;
  bool replaced_itself = false;
  Buffer output;
  std::size_t first_moved = 0;
  auto close = [&]() -> Status {
    if (output.empty()) return {};
    const PackId name{hash::blake3(output).raw};
    for (; first_moved < moved.size(); ++first_moved) moved[first_moved].location.pack = name;
    CAIRN_CHECKED(repository_.check_lock());
    CAIRN_CHECKED(store_.put(pack_object(name), output));
    size_after += output.size();
    replaced_itself = replaced_itself || name == pack.id;
    output.clear();
    return {};
  };
  for (const Object& object : objects) {
    const Bytes now = object.outcome == Outcome::Recompressed ? object.bytes.view()
                                                              : bytes.view(object.place.offset, object.place.size);
    if (object.place.indexed) {
      moved.push_back({.id = object.place.id,
                       .location = {.pack = {},
                                    .offset = static_cast<std::uint32_t>(output.size()),
                                    .size = static_cast<std::uint32_t>(now.size())}});
    }
    output.append(now);
    if (output.size() >= options_.pack_max_size) CAIRN_CHECKED(close());
  }
  CAIRN_CHECKED(close());
  CAIRN_CHECKED(store_.sync());
  for (const Moved& one : moved) repository_.index().insert(one.id, one.location);
  CAIRN_CHECKED(repository_.check_lock());
  if (!replaced_itself) {
    if (auto status = store_.remove(pack_object(pack.id)); !status && status.error().code() != Code::NotFound) {
      return status;
    }
  }
  const std::lock_guard lock(mutex_);
  report_.size_after = report_.size_after - pack.size + size_after;
  ++report_.rewritten;
  return {};
}

Result<RecompressReport> Recompression::run() {
  CAIRN_CHECKED(list_packs());
  exec::Stop stop;
  std::atomic<std::size_t> next{0};
  std::size_t done = 0;  // guarded by mutex_
  auto work = [&](exec::Worker& worker) {
    while (!stop.requested() && !interrupted()) {
      const std::size_t number = next.fetch_add(1);
      if (number >= packs_.size()) return;
      if (auto status = run_pack(packs_[number], worker); !status) stop.fail(std::move(status).error());
      const std::lock_guard lock(mutex_);
      ++done;
      if (options_.progress) options_.progress(done, packs_.size());
    }
  };
  for (std::size_t i = 0; i < std::min<std::size_t>({kPacksAtOnce, pool_.threads(), packs_.size()}); ++i) {
    pool_.submit(pool_.main_worker(), exec::Lane::Begin, work);
  }
  pool_.drain();
  report_.interrupted = interrupted() && done < packs_.size();
  // What is in memory says what was done, also after an error. Without it the next command rebuilds the index.
  Status saved;
  if (invalid_) {
    CAIRN_CHECKED(repository_.check_lock());
    saved = repository_.fragments().write_full(repository_.index(), {});
  }
  CAIRN_CHECKED(stop.result());
  if (!saved) return fail(std::move(saved).error());
  return report_;
}

}  // namespace

Result<RecompressReport> recompress_packs(Repository& repository, exec::Pool& pool, const RecompressOptions& options) {
  return Recompression(repository, pool, options).run();
}

}  // namespace cairn::repo
