#include "repo/compact.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "base/log.h"
#include "base/units.h"
#include "exec/stop.h"
#include "hash/blake3.h"
#include "repo/checked_packs.h"
#include "repo/pack_copy.h"

namespace cairn::repo {
namespace {

constexpr std::string_view kLogger = "borg.archiver.compact_cmd";
constexpr std::size_t kCopiers = 2;

std::string pack_object(const PackId& pack) { return fmt::format("packs/{}", pack.hex()); }

class Compaction {
 public:
  Compaction(Repository& repository, exec::Pool& pool, const CompactOptions& options)
      : repository_(repository), store_(repository.store()), pool_(pool), options_(options) {}

  Result<CompactReport> run();

 private:
  using Entries = std::span<const ChunkIndex::Entry* const>;
  // Packs that are dealt with together: one, or those that become one.
  struct Job {
    Fate fate = Fate::Keep;
    std::vector<std::size_t> packs;
  };

  Status list_packs();
  void match_index();
  Status survey_gaps();
  void report_plan(const CompactPlan& plan);
  std::vector<Job> make_jobs(const CompactPlan& plan) const;
  Status execute(const std::vector<Job>& jobs);
  Status run_job(const Job& job, PackCopier& copier);
  Result<std::optional<Gaps>> gaps_of(std::size_t pack, PackCopier& copier);
  Status drop(std::size_t pack, PackCopier& copier);
  Status copy(const Job& job, PackCopier& copier);
  Status store_copy(const std::vector<std::size_t>& sources, PackCopier& copier);
  Status remove_pack(std::size_t pack);
  std::vector<PackObject> objects_of(std::size_t pack) const;
  void leave_alone(const PackId& pack, const std::string& why);
  void problem(Level level, const std::string& message);
  bool interrupted() const { return options_.interrupted != nullptr && *options_.interrupted; }

  Repository& repository_;
  store::Store& store_;
  exec::Pool& pool_;
  const CompactOptions& options_;
  std::vector<PackUsage> packs_;                     // ascending ids
  std::unordered_map<PackId, std::size_t> numbers_;  // of packs_
  std::vector<const ChunkIndex::Entry*> entries_;    // by pack and offset
  std::vector<Entries> of_pack_;                     // the entries in each of packs_
  std::vector<char> gone_;                           // packs whose unused objects are gone; one byte per pack and job
  std::mutex mutex_;                                 // report_ and progress while workers run
  CompactReport report_;
};

void Compaction::problem(Level level, const std::string& message) {
  const std::lock_guard lock(mutex_);
  log(level, kLogger, message);
  (level >= Level::Error ? report_.errors : report_.warnings) = true;
}

void Compaction::leave_alone(const PackId& pack, const std::string& why) {
  problem(Level::Warning, fmt::format("Pack {} is left alone: {}. Run \"borg check --verify-data\".", pack.hex(), why));
}

Status Compaction::list_packs() {
  CheckedPacks records(store_, repository_.objects());
  CAIRN_CHECKED(records.load());
  CAIRN_TRY(const auto listed, store_.list("packs"));
  for (const store::Entry& entry : listed) {
    const auto id = PackId::from_hex(entry.name);
    if (!id || id->hex() != entry.name) continue;
    const auto record = records.find(*id);
    numbers_.emplace(*id, packs_.size());
    packs_.push_back({.id = *id, .total = entry.size, .recorded_corrupt = record && !record->intact});
    report_.size_before += entry.size;
  }
  report_.size_after = report_.size_before;
  of_pack_.resize(packs_.size());
  gone_.resize(packs_.size(), 0);
  return {};
}

// How much of each pack the index knows, and how much of that is needed.
void Compaction::match_index() {
  const ChunkIndex& index = repository_.index();
  entries_.reserve(index.size());
  index.for_each([&](const ChunkIndex::Entry& entry) {
    if (entry.placed) entries_.push_back(&entry);
  });
  std::ranges::sort(entries_, [](const ChunkIndex::Entry* a, const ChunkIndex::Entry* b) {
    return std::tuple(a->pack, a->offset) < std::tuple(b->pack, b->offset);
  });
  std::uint64_t lost = 0;
  std::uint64_t lost_used = 0;
  for (std::size_t begin = 0; begin < entries_.size();) {
    std::size_t end = begin + 1;
    while (end < entries_.size() && entries_[end]->pack == entries_[begin]->pack) ++end;
    const auto group = Entries(entries_).subspan(begin, end - begin);
    begin = end;
    const auto name = index.pack_name(group.front()->pack);
    const auto found = name ? numbers_.find(*name) : numbers_.end();
    if (found == numbers_.end()) {
      lost += group.size();
      lost_used += static_cast<std::uint64_t>(std::ranges::count_if(group, [](const auto* e) { return e->used; }));
      continue;
    }
    PackUsage& pack = packs_[found->second];
    of_pack_[found->second] = group;
    for (const auto* entry : group) {
      pack.indexed += entry->size;
      if (entry->used) pack.used += entry->size;
    }
    if (!are_disjoint(objects_of(found->second), pack.total)) {
      pack.inconsistent = true;
      problem(Level::Error,
              fmt::format("Pack {} is left alone: the index places objects in it that overlap or do not fit. "
                          "Run \"borg check --repair\".",
                          pack.id.hex()));
    }
  }
  if (lost > 0) {
    problem(Level::Warning, fmt::format("index entries referencing a missing pack file: {}. "
                                        "Run \"borg check --repair\" to remove them.",
                                        lost));
  }
  if (lost_used > 0) {
    problem(Level::Error, fmt::format("{} of them are still in use: repository data is missing!", lost_used));
  }
}

std::vector<PackObject> Compaction::objects_of(std::size_t pack) const {
  std::vector<PackObject> objects;
  objects.reserve(of_pack_[pack].size());
  for (const auto* entry : of_pack_[pack]) {
    objects.push_back(
        {.id = entry->id, .offset = entry->offset, .size = entry->size, .used = entry->used != 0, .indexed = true});
  }
  return objects;
}

// Concurrent backups store the same chunk twice; the copy that the index does not name can go.
Status Compaction::survey_gaps() {
  exec::PerWorker<PackCopier> copiers(pool_, [this] { return std::make_unique<PackCopier>(repository_); });
  exec::Stop stop;
  for (std::size_t i = 0; i < packs_.size(); ++i) {
    if (packs_[i].inconsistent || packs_[i].indexed >= packs_[i].total) continue;
    if (stop.requested() || interrupted()) break;
    pool_.submit(pool_.main_worker(), exec::Lane::Begin, [&, i](exec::Worker& worker) {
      if (stop.requested() || interrupted()) return;
      PackUsage& pack = packs_[i];
      auto gaps = copiers(worker).survey_gaps(pack.id, pack.total, objects_of(i),
                                              [this](const PackId& other) { return numbers_.contains(other); });
      if (gaps) {
        pack.superseded = gaps->superseded_bytes;
      } else if (gaps.error().code() == Code::Io || gaps.error().code() == Code::NotFound) {
        leave_alone(pack.id, gaps.error().text());
        pack.recorded_corrupt = true;
      } else {
        stop.fail(std::move(gaps).error());
      }
    });
  }
  pool_.drain();
  CAIRN_CHECKED(stop.result());
  for (const PackUsage& pack : packs_) {
    if (!pack.inconsistent) report_.unindexed_bytes += pack.total - pack.indexed - pack.superseded;
  }
  return {};
}

void Compaction::report_plan(const CompactPlan& plan) {
  if (report_.unindexed_bytes > 0) {
    log(Level::Info, kLogger,
        fmt::format(
            "{} in pack files is not covered by the index.",
            format_size(static_cast<std::int64_t>(report_.unindexed_bytes), {.units = units_from_environment()})));
  }
  std::uint64_t corrupt = 0;
  std::uint64_t objects = 0;
  for (std::size_t i = 0; i < packs_.size(); ++i) {
    const Fate fate = plan.fates[i];
    if (packs_[i].recorded_corrupt && fate != Fate::Drop) ++corrupt;
    if (fate != Fate::Drop && fate != Fate::Rewrite) continue;
    objects += static_cast<std::uint64_t>(std::ranges::count_if(of_pack_[i], [](const auto* e) { return !e->used; }));
  }
  if (corrupt > 0) {
    problem(Level::Warning, fmt::format("{} pack(s) recorded corrupt by \"borg check\" are not rewritten or merged. "
                                        "Run \"borg check --repair --verify-data\".",
                                        corrupt));
  }
  if (options_.dry_run) {
    log(Level::Info, kLogger,
        fmt::format("Would free {} by dropping {} packs, rewriting {} packs and merging {} tiny packs.",
                    format_size(static_cast<std::int64_t>(plan.freed), {.units = units_from_environment()}),
                    plan.dropped, plan.rewritten, plan.merged));
  } else {
    log(Level::Info, kLogger,
        plan.freed > 0
            ? fmt::format("Deleting {} unused objects, freeing {}...", objects,
                          format_size(static_cast<std::int64_t>(plan.freed), {.units = units_from_environment()}))
            : fmt::format("Deleting {} unused objects...", objects));
  }
}

// What frees space without needing any comes first.
std::vector<Compaction::Job> Compaction::make_jobs(const CompactPlan& plan) const {
  std::vector<Job> jobs;
  for (const Fate fate : {Fate::Drop, Fate::Rewrite}) {
    for (std::size_t i = 0; i < packs_.size(); ++i) {
      if (plan.fates[i] == fate) jobs.push_back({.fate = fate, .packs = {i}});
    }
  }
  Job batch{.fate = Fate::Merge, .packs = {}};
  std::uint64_t size = 0;
  auto close = [&] {
    if (batch.packs.size() > 1) jobs.push_back(batch);
    batch.packs.clear();
    size = 0;
  };
  for (std::size_t i = 0; i < packs_.size(); ++i) {
    if (plan.fates[i] != Fate::Merge) continue;
    if (size + packs_[i].total > options_.pack_max_size) close();
    batch.packs.push_back(i);
    size += packs_[i].total;
  }
  close();
  return jobs;
}

Status Compaction::remove_pack(std::size_t pack) {
  if (auto status = store_.remove(pack_object(packs_[pack].id)); !status) {
    if (status.error().code() == Code::NotFound) return {};
    return status;
  }
  const std::lock_guard lock(mutex_);
  report_.size_after -= packs_[pack].total;
  return {};
}

// Nothing if the pack cannot be read.
Result<std::optional<Gaps>> Compaction::gaps_of(std::size_t pack, PackCopier& copier) {
  const PackUsage& usage = packs_[pack];
  if (usage.indexed == usage.total) return Gaps{};
  auto gaps = copier.examine_gaps(usage.id, usage.total, objects_of(pack));
  if (gaps) return std::move(*gaps);
  if (gaps.error().code() != Code::Io && gaps.error().code() != Code::NotFound) return fail(std::move(gaps).error());
  leave_alone(usage.id, gaps.error().text());
  return std::nullopt;
}

Status Compaction::drop(std::size_t pack, PackCopier& copier) {
  const PackUsage& usage = packs_[pack];
  CAIRN_TRY(const auto gaps, gaps_of(pack, copier));
  if (!gaps) return {};
  if (!gaps->kept.empty() || gaps->damaged) {
    leave_alone(usage.id, "it holds the only good copy of an object, or damage");
    return {};
  }
  CAIRN_CHECKED(repository_.check_lock());
  gone_[pack] = 1;
  CAIRN_CHECKED(remove_pack(pack));
  const std::lock_guard lock(mutex_);
  ++report_.dropped;
  return {};
}

Status Compaction::copy(const Job& job, PackCopier& copier) {
  copier.clear();
  std::vector<std::size_t> sources;
  for (const std::size_t pack : job.packs) {
    const PackUsage& usage = packs_[pack];
    const std::vector<PackObject> indexed = objects_of(pack);
    std::vector<PackObject> kept;
    std::ranges::copy_if(indexed, std::back_inserter(kept), [](const PackObject& object) { return object.used; });
    CAIRN_TRY(const auto gaps, gaps_of(pack, copier));
    if (!gaps) continue;
    kept.insert(kept.end(), gaps->kept.begin(), gaps->kept.end());
    std::ranges::sort(kept, {}, &PackObject::offset);
    std::string why;
    CAIRN_TRY(const bool trusted, copier.append(usage.id, usage.total, kept, gaps->damaged, why));
    if (!trusted) {
      leave_alone(usage.id, why);
      continue;
    }
    sources.push_back(pack);
  }
  if (sources.empty() || (job.fate == Fate::Merge && sources.size() < 2)) return {};
  if (job.fate == Fate::Rewrite && copier.output().size() == packs_[sources[0]].total) return {};
  return store_copy(sources, copier);
}

// The new pack is durable before the index in memory and the store forget the old ones.
Status Compaction::store_copy(const std::vector<std::size_t>& sources, PackCopier& copier) {
  const Buffer& output = copier.output();
  const PackId name{hash::blake3(output).raw};
  CAIRN_CHECKED(repository_.check_lock());
  if (!output.empty()) {
    CAIRN_CHECKED(store_.put(pack_object(name), output));
    CAIRN_CHECKED(store_.sync());
    const std::lock_guard lock(mutex_);
    report_.size_after += output.size();
  }
  ChunkIndex& index = repository_.index();
  for (const std::size_t pack : sources) gone_[pack] = 1;
  for (const PackCopier::Moved& moved : copier.moved()) {
    index.insert(moved.id, {.pack = name, .offset = moved.offset, .size = moved.size});
  }
  CAIRN_CHECKED(repository_.check_lock());
  for (const std::size_t pack : sources) {
    if (packs_[pack].id == name) {
      const std::lock_guard lock(mutex_);
      report_.size_after -= output.size();  // it replaced itself
    } else {
      CAIRN_CHECKED(remove_pack(pack));
    }
  }
  const std::lock_guard lock(mutex_);
  (sources.size() > 1 ? report_.merged : report_.rewritten) += sources.size();
  return {};
}

Status Compaction::run_job(const Job& job, PackCopier& copier) {
  return job.fate == Fate::Drop ? drop(job.packs.front(), copier) : copy(job, copier);
}

Status Compaction::execute(const std::vector<Job>& jobs) {
  CAIRN_CHECKED(repository_.check_lock());
  CAIRN_CHECKED(repository_.fragments().invalidate());
  exec::Stop stop;
  std::atomic<std::size_t> next{0};
  std::size_t done = 0;  // guarded by mutex_
  auto work = [&](exec::Worker&) {
    PackCopier copier(repository_);
    while (!stop.requested() && !interrupted()) {
      const std::size_t number = next.fetch_add(1);
      if (number >= jobs.size()) return;
      if (auto status = run_job(jobs[number], copier); !status) stop.fail(std::move(status).error());
      const std::lock_guard lock(mutex_);
      ++done;
      if (options_.progress) options_.progress(done, jobs.size());
    }
  };
  for (std::size_t i = 0; i < std::min<std::size_t>({kCopiers, pool_.threads(), jobs.size()}); ++i) {
    pool_.submit(pool_.main_worker(), exec::Lane::Begin, work);
  }
  pool_.drain();
  report_.interrupted = interrupted() && done < jobs.size();
  // Only now: while others still work, an id that is known to be unused needs no copy.
  for (std::size_t i = 0; i < packs_.size(); ++i) {
    if (gone_[i] == 0) continue;
    for (const auto* entry : of_pack_[i]) {
      if (!entry->used) repository_.index().erase(entry->id);
    }
  }
  // What is in memory says what was done, also after an error. Without it the next command rebuilds the index.
  CAIRN_CHECKED(repository_.check_lock());
  auto saved = repository_.fragments().write_full(repository_.index(), {});
  CAIRN_CHECKED(stop.result());
  return saved;
}

Result<CompactReport> Compaction::run() {
  CAIRN_CHECKED(list_packs());
  match_index();
  CAIRN_CHECKED(survey_gaps());
  const CompactPlan plan = plan_compaction(packs_, options_.threshold, options_.pack_max_size);
  report_plan(plan);
  report_.to_free = plan.freed;
  if (options_.dry_run) return std::move(report_);
  const std::vector<Job> jobs = make_jobs(plan);
  if (jobs.empty() || interrupted()) {
    report_.interrupted = interrupted();
    return std::move(report_);
  }
  CAIRN_CHECKED(execute(jobs));
  return std::move(report_);
}

}  // namespace

Status check_compact_permissions(const store::Store& store, std::string_view what) {
  for (const std::string_view space : {"packs", "index"}) {
    if (store.permits(space, "wW") && store.permits(space, "D")) continue;
    return fail(
        Code::PermissionDenied,
        fmt::format("Repository permission denied: {} needs write (w/W) and delete (D) permissions on {}/, but only "
                    "'{}' is granted (BORG_REPO_PERMISSIONS).",
                    what, space, store.granted(space)));
  }
  return {};
}

Result<CompactReport> compact_packs(Repository& repository, exec::Pool& pool, const CompactOptions& options) {
  return Compaction(repository, pool, options).run();
}

}  // namespace cairn::repo
