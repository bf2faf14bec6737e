#include "ops/check.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "archive/time.h"
#include "base/log.h"
#include "base/units.h"
#include "ops/archive_repair.h"
#include "ops/archive_scan.h"
#include "ops/archives.h"
#include "ops/missing_chunks.h"
#include "repo/checked_packs.h"
#include "repo/compact.h"
#include "repo/pack_check.h"
#include "repo/pack_salvage.h"
#include "repo/pack_survey.h"
#include "repo/verify_data.h"

namespace cairn::ops {
namespace {

constexpr std::string_view kLogger = "borg.archive";
constexpr std::size_t kLostChunksShown = 1000;

void info(const std::string& message) { log(Level::Info, kLogger, message); }
void warning(const std::string& message) { log(Level::Warning, kLogger, message); }
void error(const std::string& message) { log(Level::Error, kLogger, message); }

std::string name_time_id(const archive::ArchiveSummary& summary) {
  return fmt::format("{} {} {}", summary.name, archive::human(summary.time), summary.id.hex());
}

class Check {
 public:
  Check(repo::Repository& repository, exec::Pool& pool, const CheckRequest& request, CheckObserver& observer)
      : repository_(repository), pool_(pool), request_(request), observer_(observer) {}

  Result<CheckResult> run();

 private:
  using Phase = CheckObserver::Phase;

  Status check_repository();
  Status check_defaults();
  Status check_archives();
  Status load_index();
  Status forget_missing_packs();
  Status verify_data();
  Status mend_packs();
  Result<std::vector<PackId>> suspects(const repo::PackSurvey& survey);
  void report_lost(std::vector<repo::PlacedChunk> lost);
  Status check_entries();
  Status look_for_lost_archives();
  Status check_archive(const archive::ArchiveSummary& summary);
  Status mend_archive(const archive::ArchiveSummary& summary);
  void report(const archive::ArchiveSummary& summary, const ScanProblem& problem);
  void check_item(const archive::ArchiveSummary& summary, const archive::Item& item);
  repo::Progress progress(Phase phase) {
    return [this, phase](std::uint64_t done, std::uint64_t total) { observer_.progress(phase, done, total); };
  }

  repo::Repository& repository_;
  exec::Pool& pool_;
  const CheckRequest& request_;
  CheckObserver& observer_;
  MissingChunks missing_;
  std::vector<PackId> corrupt_;           // by their hashes, or on verifying their objects
  std::vector<ChunkId> archive_objects_;  // as the survey found them
  std::size_t broken_ = 0;                // parts of the archive that is being read
  bool metadata_gone_ = false;            // its archive object
  bool unreadable_ = false;               // the store failed: what is broken may be whole
  bool keep_archives_ = false;            // what they lack may come back
  bool archives_bad_ = false;             // part 2 found something
  bool problems_ = false;
};

Result<CheckResult> Check::run() {
  if (request_.repair) {
    CAIRN_CHECKED(repo::check_compact_permissions(repository_.store(), "a repair"));
    if (!repository_.can_verify()) {
      return fail(Code::Error, "A repair needs the key: without it nothing is known to be genuine.");
    }
  }
  if (request_.repository) CAIRN_CHECKED(check_repository());
  if (request_.archives) {
    CAIRN_CHECKED(check_archives());
  } else if (request_.repair) {
    CAIRN_CHECKED(mend_packs());
  }
  return CheckResult{.problems = problems_};
}

Status Check::check_repository() {
  CAIRN_TRY(const repo::PackCheckReport report, repo::check_packs(repository_, pool_,
                                                                  {.max_duration = request_.max_duration,
                                                                   .max_age = request_.max_age,
                                                                   .repair = request_.repair,
                                                                   .interrupted = request_.interrupted,
                                                                   .index_progress = progress(Phase::Index),
                                                                   .pack_progress = progress(Phase::Packs)}));
  if (request_.repair) {
    corrupt_ = report.corrupt;
    if (report.pack_errors > report.corrupt.size()) problems_ = true;  // files that are no packs stay where they are
  } else if (report.problems()) {
    problems_ = true;
  }
  return check_defaults();
}

Status Check::check_defaults() {
  constexpr std::string_view kDefaults = "config/defaults";
  const auto defaults = repository_.defaults();
  if (defaults) return {};
  std::string_view what;
  switch (defaults.error().code()) {
    case Code::DefaultsMissing:
      what = "is missing";
      break;
    case Code::Integrity:
      what = "fails the authentication";
      break;
    case Code::InvalidRepositoryConfig:
      what = "is malformed";
      break;
    default:
      return fail(defaults.error().clone());
  }
  const std::string found = fmt::format("Repository defaults object {} {}", kDefaults, what);
  if (!request_.repair) {
    problems_ = true;
    log(Level::Error, "borg.archiver.check_cmd",
        fmt::format("{}. Run \"borg check --repair\" to store empty defaults.", found));
    return {};
  }
  CAIRN_CHECKED(repository_.check_lock());
  CAIRN_TRY(const Buffer empty, repository_.objects().seal_named(kDefaults, repo::encode_defaults({})));
  CAIRN_CHECKED(repository_.store().put(kDefaults, empty));
  CAIRN_CHECKED(repository_.store().sync());
  // No data is lost, so that this alone does not show in the exit code.
  log(Level::Warning, "borg.archiver.check_cmd",
      fmt::format("{}, storing empty defaults. Those that repo-create has set are lost; the built-in ones apply now.",
                  found));
  return {};
}

Status Check::load_index() {
  CAIRN_CHECKED(repository_.load_index(repo::BadFragments::Salvage, pool_));
  const repo::IndexLoad& load = repository_.index_load();
  if (load.rebuilt && !load.fragments.empty()) info("chunk index is invalid (interrupted operation), rebuilt it.");
  if (!load.bad_fragments.empty()) problems_ = true;  // said already, by whoever loaded it first
  return {};
}

// What lies in a pack that is not there is missing, whatever the index says.
Status Check::forget_missing_packs() {
  CAIRN_TRY(const auto names, repository_.store().list_names("packs"));
  repo::ChunkIndex& index = repository_.index();
  std::vector<bool> present;
  for (const std::string& name : names) {
    const auto pack = PackId::from_hex(name);
    if (!pack) continue;
    const repo::PackNumber number = index.pack_number(*pack);
    if (number >= present.size()) present.resize(number + 1, false);
    present[number] = true;
  }
  index.for_each([&](const repo::ChunkIndex::Entry& entry) {
    if (entry.pack >= present.size() || !present[entry.pack]) index.erase(entry.id);
  });
  return {};
}

Status Check::verify_data() {
  CAIRN_TRY(const repo::VerifyReport report, repo::verify_data(repository_, pool_,
                                                               {.repair = request_.repair,
                                                                .interrupted = request_.interrupted,
                                                                .progress = progress(Phase::VerifyData)}));
  if (report.errors > 0) archives_bad_ = true;
  corrupt_.insert(corrupt_.end(), report.defective.begin(), report.defective.end());
  return {};
}

// The packs in which something may have to be saved. What earlier checks recorded is a hint: each gets a second look.
Result<std::vector<PackId>> Check::suspects(const repo::PackSurvey& survey) {
  std::vector<PackId> packs = corrupt_;
  packs.insert(packs.end(), survey.damaged.begin(), survey.damaged.end());
  packs.insert(packs.end(), survey.unreadable.begin(), survey.unreadable.end());
  if (!request_.repository) {
    repo::CheckedPacks records(repository_.store(), repository_.objects());
    CAIRN_CHECKED(records.load());
    CAIRN_TRY(const auto names, repository_.store().list_names("packs"));
    for (const std::string& name : names) {
      const auto pack = PackId::from_hex(name);
      const auto record = pack ? records.find(*pack) : std::nullopt;
      if (record && !record->intact) packs.push_back(*pack);
    }
  }
  std::ranges::sort(packs);
  packs.erase(std::ranges::unique(packs).begin(), packs.end());
  return packs;
}

void Check::report_lost(std::vector<repo::PlacedChunk> lost) {
  std::erase_if(lost, [&](const repo::PlacedChunk& chunk) { return repository_.index().contains(chunk.id); });
  if (lost.empty()) return;
  archives_bad_ = problems_ = true;
  for (std::size_t i = 0; i < std::min(lost.size(), kLostChunksShown); ++i) {
    error(fmt::format("Chunk {} is lost, it was in pack {}.", lost[i].id.hex(), lost[i].location.pack.hex()));
  }
  if (lost.size() > kLostChunksShown) error(fmt::format("{} more chunks are lost.", lost.size() - kLostChunksShown));
  error(fmt::format("Packs were damaged or missing. Removed the index entries of their {} chunk(s).", lost.size()));
  if (!request_.archives) {
    error("Run \"borg check --repair\" without --repository-only to see which files need them.");
  }
}

// Index and packs: afterwards the index names what is there and good, and nothing else.
Status Check::mend_packs() {
  CAIRN_CHECKED(repository_.load_index(repo::BadFragments::LeaveOut, pool_));
  const repo::IndexLoad& load = repository_.index_load();
  bool stale = load.rebuilt || !load.bad_fragments.empty();
  CAIRN_TRY(repo::PackSurvey survey,
            repo::survey_packs(repository_, pool_, progress(Phase::Survey), request_.interrupted));
  stale = stale || survey.changed_index();
  if (request_.verify_data) CAIRN_CHECKED(verify_data());
  CAIRN_TRY(const auto packs, suspects(survey));
  if (!packs.empty()) {
    CAIRN_TRY(const repo::SalvageReport salvaged,
              repo::salvage_packs(repository_, pool_, packs, survey.copies,
                                  {.verify = request_.verify_saved_ids ? repo::Verify::Id : repo::Verify::Envelope,
                                   .interrupted = request_.interrupted}));
    survey.found += salvaged.found;
    stale = !salvaged.wrote_index && (stale || salvaged.found > 0);
    if (salvaged.removed > 0) archives_bad_ = true;
    if (!salvaged.unreadable.empty()) {
      archives_bad_ = problems_ = keep_archives_ = true;
      for (const PackId& pack : salvaged.unreadable)
        error(fmt::format("Pack {} could not be read completely.", pack.hex()));
      error(
          "These packs stay as they are, and so do all archives. Run the repair again when the storage works, or take "
          "these packs away before.");
    }
    survey.lost.insert(survey.lost.end(), salvaged.lost.begin(), salvaged.lost.end());
  }
  if (stale) {
    info("Writing the repository chunks index.");
    CAIRN_CHECKED(repository_.replace_index());
  }
  if (survey.found > 0) info(fmt::format("{} objects in the packs were not in the index.", survey.found));
  report_lost(std::move(survey.lost));
  archive_objects_ = std::move(survey.archives);
  return {};
}

void Check::report(const archive::ArchiveSummary& summary, const ScanProblem& problem) {
  using Where = ScanProblem::Where;
  archives_bad_ = true;
  ++broken_;
  unreadable_ |= problem.unreadable;
  const std::string id = problem.id.hex();
  const std::string state = problem.missing ? "is missing!" : fmt::format("is corrupted: {}", problem.text);
  switch (problem.where) {
    case Where::Metadata:
      metadata_gone_ = true;
      error(fmt::format("Archive metadata block {} {}", id, state));
      break;
    case Where::Pointers:
      error(fmt::format("Archive {}: item pointers chunk {} {} {}", summary.name, problem.number, id, state));
      break;
    case Where::Stream:
      error(fmt::format("Archive {}: item metadata chunk {} {} {}", summary.name, problem.number, id, state));
      break;
    case Where::Item:
      error(fmt::format("Archive {}: item metadata chunk {}: damaged item skipped: {}", summary.name, problem.number,
                        problem.text));
      break;
  }
}

void Check::check_item(const archive::ArchiveSummary& summary, const archive::Item& item) {
  if (!item.chunks) return;
  std::uint64_t size = 0;
  for (const archive::ChunkRef& chunk : *item.chunks) {
    size += chunk.size;
    if (repository_.index().contains(chunk.id)) continue;
    if (missing_.add(chunk, item.path, summary.name)) {
      error(fmt::format("Missing chunk detected: {}, {}.", chunk.id.hex(),
                        format_size(chunk.size, {.units = units_from_environment()})));
    }
  }
  if (item.size && *item.size != size) {
    log(Level::Warning, kLogger,
        fmt::format("Archive {}: {}: size inconsistency: the item says {} bytes, its chunks hold {}.", summary.name,
                    item.path, *item.size, size));
  }
}

Status Check::check_archive(const archive::ArchiveSummary& summary) {
  broken_ = 0;
  metadata_gone_ = unreadable_ = false;
  const ScanCallbacks callbacks{.item = [&](archive::Item&& item) -> Status {
                                  check_item(summary, item);
                                  return {};
                                },
                                .problem = [&](const ScanProblem& problem) { report(summary, problem); }};
  CAIRN_CHECKED(scan_archive(repository_, pool_, summary.id, callbacks, request_.interrupted));
  if (broken_ == 0) return {};
  problems_ = true;
  if (request_.repair && !keep_archives_ && !unreadable_) return mend_archive(summary);
  if (metadata_gone_) error(fmt::format("Would delete broken archive {} {}.", summary.name, summary.id.hex()));
  return {};
}

Status Check::mend_archive(const archive::ArchiveSummary& summary) {
  if (metadata_gone_) {
    error(fmt::format("Deleting broken archive {} {}.", summary.name, summary.id.hex()));
    return repository_.delete_archive(summary.id);
  }
  CAIRN_TRY(const auto rewritten, rewrite_archive(repository_, pool_, summary.id, request_.interrupted));
  if (!rewritten) return {};
  error(fmt::format("Archive {}: {} of {} files are left, as archive {}.", summary.name, rewritten->files,
                    rewritten->files_before, rewritten->id.hex()));
  return {};
}

// Names that cannot be those of archives: the real Borg reads no repository that has one.
Status Check::check_entries() {
  CAIRN_TRY(const auto entries, repository_.store().list("archives"));
  for (const store::Entry& entry : entries) {
    if (ChunkId::from_hex(entry.name)) continue;
    archives_bad_ = true;
    const std::string name = fmt::format("archives/{}", entry.name);
    if (request_.repair && entry.size == 0) {
      CAIRN_CHECKED(repository_.check_lock());
      CAIRN_CHECKED(repository_.store().remove(name));
      error(fmt::format("{} is no archive, removed it.", name));
    } else {
      problems_ = true;
      error(fmt::format("{} is no archive.", name));
    }
  }
  return {};
}

Status Check::look_for_lost_archives() {
  info("Rebuilding missing archives directory entries, this might take some time...");
  if (!request_.repair) {
    CAIRN_TRY(archive_objects_, repo::find_archive_objects(repository_, pool_, request_.interrupted));
  }
  CAIRN_TRY(const auto lost, find_lost_archives(repository_, archive_objects_));
  for (const LostArchive& archive : lost) {
    archives_bad_ = true;
    warning(fmt::format("{} archives directory entry for {} {}.", request_.repair ? "Creating" : "Would create",
                        archive.name, archive.id.hex()));
    if (request_.repair) {
      CAIRN_CHECKED(repository_.commit_archive(archive.id));
    } else {
      problems_ = true;
    }
  }
  info("Rebuilding missing archives directory entries completed.");
  return {};
}

Status Check::check_archives() {
  info("Starting archive consistency check...");
  if (request_.repair) {
    CAIRN_CHECKED(mend_packs());
  } else {
    CAIRN_CHECKED(load_index());
    if (request_.verify_data) CAIRN_CHECKED(verify_data());
    CAIRN_CHECKED(forget_missing_packs());
  }
  CAIRN_CHECKED(check_entries());
  if (request_.find_lost_archives) CAIRN_CHECKED(look_for_lost_archives());
  CAIRN_TRY(auto all, load_archives(repository_, pool_));
  CAIRN_TRY(const auto selected, archive::select(std::move(all), request_.selection));
  std::uint64_t done = 0;
  for (const archive::ArchiveSummary& summary : selected) {
    CAIRN_CHECKED(repository_.check_lock());
    ++done;
    observer_.progress(Phase::Archives, done, selected.size());
    // Of one without metadata a chosen format might show nothing that it could be told by.
    const bool described = request_.describe && summary.problem != archive::ArchiveSummary::Problem::Missing;
    info(fmt::format("Analyzing archive {} ({}/{})", described ? request_.describe(summary) : name_time_id(summary),
                     done, selected.size()));
    CAIRN_CHECKED(check_archive(summary));
  }
  if (!missing_.empty()) {
    archives_bad_ = problems_ = true;
    error("The following chunks are missing in the repository:");
    for (const std::string& line : missing_.lines()) error(line);
  }
  if (archives_bad_) {
    if (!request_.repair) problems_ = true;
    error("Archive consistency check complete, problems found.");
  } else {
    info("Archive consistency check complete, no problems found.");
  }
  return {};
}

}  // namespace

Result<CheckResult> check(repo::Repository& repository, exec::Pool& pool, const CheckRequest& request,
                          CheckObserver& observer) {
  return Check(repository, pool, request, observer).run();
}

}  // namespace cairn::ops
