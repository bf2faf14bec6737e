#include "ops/compact.h"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "archive/selection.h"
#include "archive/time.h"
#include "base/log.h"
#include "base/units.h"
#include "ops/archive_references.h"
#include "ops/archives.h"
#include "ops/files_cache_cleanup.h"
#include "ops/repository_cache.h"
#include "repo/compact.h"
#include "repo/reference_cache.h"
#include "repo/unindexed.h"

namespace cairn::ops {
namespace {

constexpr std::string_view kLogger = "borg.archiver.compact_cmd";

void info(const std::string& message) { log(Level::Info, kLogger, message); }
void warning(const std::string& message) { log(Level::Warning, kLogger, message); }
void error(const std::string& message) { log(Level::Error, kLogger, message); }

std::string whole_size(std::uint64_t bytes) {
  return format_size(static_cast<std::int64_t>(bytes), {.precision = 0, .units = units_from_environment()});
}

double factor(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 1.0 : static_cast<double>(part) / static_cast<double>(whole);
}

class Compact {
 public:
  Compact(repo::Repository& repository, exec::Pool& pool, const CompactRequest& request, CompactObserver& observer)
      : repository_(repository), pool_(pool), request_(request), observer_(observer) {}

  Result<CompactResult> run();

 private:
  using Phase = CompactObserver::Phase;

  Status load_index();
  Result<bool> mark_live_archives();  // false: one of them cannot be read
  Status mark_deleted_archives();
  Status remove_deleted_archives();
  void mark(const repo::ArchiveReferences& references);
  void print_statistics(const repo::CompactReport& report) const;
  void clean_files_caches() const;
  bool interrupted() const { return request_.interrupted != nullptr && *request_.interrupted; }

  repo::Repository& repository_;
  exec::Pool& pool_;
  const CompactRequest& request_;
  CompactObserver& observer_;
  std::vector<archive::ArchiveSummary> archives_;
  std::unordered_set<ChunkId> missing_;
  std::uint64_t files_ = 0, content_bytes_ = 0;
};

// With what interrupted backups have left: only what is indexed can be freed, or needed.
Status Compact::load_index() {
  info("Getting object IDs from the index...");
  if (!request_.dry_run) {
    if (auto status = repository_.fragments().repack(); !status) {
      log(Level::Warning, kLogger, fmt::format("Merging index fragments: {}", status.error().text()));
    }
  }
  // A dry run writes no index, so that it cannot do without a sound one.
  CAIRN_CHECKED(
      repository_.load_index(request_.dry_run ? repo::BadFragments::Error : repo::BadFragments::Rebuild, pool_));
  if (!repository_.index_load().rebuilt) {
    CAIRN_TRY(const repo::IndexedObjects added, repo::index_unindexed(repository_, pool_, request_.interrupted));
    if (added.objects == 0) return {};
    info(fmt::format("Found {} objects that were not indexed, {}.", added.objects,
                     format_size(static_cast<std::int64_t>(added.bytes), {.units = units_from_environment()})));
    if (request_.dry_run) return {};
    return repository_.save_index(added.rows);
  }
  return request_.dry_run ? Status() : repository_.save_index({});
}

void Compact::mark(const repo::ArchiveReferences& references) {
  references.for_each([&](const ChunkId& id, std::uint32_t plain_size) {
    if (!repository_.index().mark_used(id, plain_size)) missing_.insert(id);
  });
}

Result<bool> Compact::mark_live_archives() {
  CAIRN_TRY(auto all, load_archives(repository_, pool_));
  CAIRN_TRY(archives_, archive::select(std::move(all), {}));
  if (!request_.dry_run) {
    std::unordered_set<ChunkId> live;
    for (const auto& summary : archives_) live.insert(summary.id);
    CAIRN_TRY(const std::size_t removed,
              repo::remove_other_references(repository_.store(), [&](const ChunkId& id) { return live.contains(id); }));
    log(Level::Debug, kLogger, fmt::format("Removed the reference tables of {} vanished archives.", removed));
  }
  info("Computing object IDs used by archives...");
  bool readable = true;
  std::uint64_t done = 0;
  for (const archive::ArchiveSummary& summary : archives_) {
    CAIRN_CHECKED(repository_.check_lock());
    if (interrupted()) return fail(Code::Interrupted, "Got Ctrl-C, nothing was deleted.");
    ++done;
    observer_.progress(Phase::Archives, done, archives_.size());
    info(fmt::format("Analyzing archive {} {} {} ({}/{})", summary.name, archive::plain_local(summary.time),
                     summary.id.hex(), done, archives_.size()));
    CAIRN_TRY(const KnownReferences known,
              find_references(repository_, pool_, summary.id, !request_.dry_run, request_.interrupted));
    mark(known.references);
    files_ += known.references.items();
    content_bytes_ += known.references.content_bytes();
    if (known.complete) continue;
    readable = false;
    error(fmt::format("Archive {} {} cannot be read completely: {}.", summary.name, summary.id.hex(), known.problem));
  }
  return readable;
}

// Objects are missing, so somebody may want to undelete and rescue: what is left of the deleted ones stays.
Status Compact::mark_deleted_archives() {
  CAIRN_TRY(const auto deleted, load_archives(repository_, pool_, store::Which::Deleted));
  for (const archive::ArchiveSummary& summary : deleted) {
    CAIRN_TRY(const KnownReferences known,
              find_references(repository_, pool_, summary.id, false, request_.interrupted));
    std::uint64_t gone = 0;
    known.references.for_each([&](const ChunkId& chunk, std::uint32_t plain_size) {
      if (!repository_.index().mark_used(chunk, plain_size)) ++gone;
    });
    const std::string what = fmt::format("Soft-deleted archive {} {}", summary.name, summary.id.hex());
    if (summary.problem == archive::ArchiveSummary::Problem::Missing) {
      warning(fmt::format("{} cannot be fully preserved: Archive {} does not exist", what, summary.id.hex()));
    } else if (!known.complete) {
      warning(fmt::format("{} cannot be fully preserved: {}", what, known.problem));
    } else if (gone > 0) {
      warning(fmt::format("{}: {} objects missing from the index; \"borg undelete\" may not fully recover it.", what,
                          gone));
    }
  }
  return {};
}

Status Compact::remove_deleted_archives() {
  info("Cleaning archives directory from soft-deleted archives...");
  CAIRN_TRY(const auto deleted, repository_.list_archives(store::Which::Deleted));
  for (const ChunkId& id : deleted) {
    CAIRN_CHECKED(repository_.check_lock());
    if (auto status = repository_.store().remove(fmt::format("archives/{}.del", id.hex()));
        !status && status.error().code() != Code::NotFound) {
      return status;
    }
  }
  return repository_.store().sync();
}

void Compact::print_statistics(const repo::CompactReport& report) const {
  std::uint64_t deduplicated = 0;
  repository_.index().for_each([&](const repo::ChunkIndex::Entry& entry) {
    if (entry.used) deduplicated += entry.plain_size;
  });
  const std::int64_t saved =
      static_cast<std::int64_t>(report.size_before) - static_cast<std::int64_t>(report.size_after);
  info(fmt::format("Overall statistics, considering all {} archives in this repository:", archives_.size()));
  info(fmt::format("Source data size was {} in {} files.", whole_size(content_bytes_), files_));
  info(fmt::format("Deduplicated size is {}.", whole_size(deduplicated)));
  info(fmt::format("Deduplication factor is {:.2f}.", factor(deduplicated, content_bytes_)));
  info(fmt::format("Repository size is {} in {} objects.", whole_size(report.size_after), repository_.index().size()));
  info(fmt::format("Compression factor is {:.2f}.", factor(report.size_after, deduplicated)));
  info(fmt::format("Compaction saved {}.", format_size(saved, {.precision = 0, .units = units_from_environment()})));
}

void Compact::clean_files_caches() const {
  info("Cleaning up files cache...");
  std::unordered_set<std::string> names;
  for (const auto& summary : archives_) names.insert(summary.name);
  const std::size_t removed = request_.clean_files_caches
                                  ? request_.clean_files_caches(names)
                                  : remove_unused_files_caches(own_cache_path(repository_.id()), names) +
                                        remove_unused_files_caches(repository_cache_path(repository_.id()), names);
  info(fmt::format("Removed {} unused files cache files.", removed));
}

Result<CompactResult> Compact::run() {
  CAIRN_CHECKED(repo::check_compact_permissions(repository_.store()));
  if (request_.dry_run && request_.stats) {
    log(Level::Warning, kLogger, "Ignoring --stats. It is not supported when using --dry-run.");
  }
  info("Starting compaction / garbage collection...");
  if (!request_.dry_run) {
    CAIRN_TRY(const std::uint64_t removed, repository_.store().remove_stale_temporaries());
    if (removed > 0) log(Level::Debug, kLogger, fmt::format("Removed {} left-over temporary files.", removed));
  }
  CAIRN_CHECKED(load_index());
  CAIRN_TRY(const bool readable, mark_live_archives());
  CompactResult result;
  if (!missing_.empty()) {
    result.errors = true;
    error(fmt::format("Repository has {} missing objects!", missing_.size()));
  }
  if (!readable) {
    // Its content would look unused.
    error("What these archives need is not known, so nothing is deleted. Run \"borg check --repair\".");
    result.errors = true;
    return result;
  }
  if (!missing_.empty()) {
    CAIRN_CHECKED(mark_deleted_archives());
  } else if (!request_.dry_run) {
    CAIRN_CHECKED(remove_deleted_archives());
  }
  CAIRN_TRY(const repo::CompactReport report,
            repo::compact_packs(repository_, pool_,
                                {.threshold = request_.threshold,
                                 .dry_run = request_.dry_run,
                                 .pack_max_size = request_.pack_max_size,
                                 .interrupted = request_.interrupted,
                                 .progress = [this](std::uint64_t done, std::uint64_t total) {
                                   observer_.progress(Phase::Packs, done, total);
                                 }}));
  result.warnings = report.warnings;
  result.errors = result.errors || report.errors;
  if (report.interrupted) return fail(Code::Interrupted, "Got Ctrl-C, the compaction is not complete.");
  if (!request_.dry_run) {
    if (request_.stats) print_statistics(report);
    clean_files_caches();
  }
  info("Finished compaction / garbage collection...");
  return result;
}

}  // namespace

Result<CompactResult> compact(repo::Repository& repository, exec::Pool& pool, const CompactRequest& request,
                              CompactObserver& observer) {
  return Compact(repository, pool, request, observer).run();
}

}  // namespace cairn::ops
