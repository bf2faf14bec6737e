#include "ops/check.h"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "archive/time.h"
#include "base/log.h"
#include "base/units.h"
#include "ops/archive_scan.h"
#include "ops/archives.h"
#include "ops/missing_chunks.h"
#include "repo/pack_check.h"
#include "repo/verify_data.h"

namespace cairn::ops {
namespace {

constexpr std::string_view kLogger = "borg.archive";

void info(const std::string& message) { log(Level::Info, kLogger, message); }
void error(const std::string& message) { log(Level::Error, kLogger, message); }

std::string name_time_id(const archive::ArchiveSummary& summary) {
  return fmt::format("{} {} {}", summary.name, archive::human(summary.time), summary.id.hex());
}

class Check {
 public:
  Check(repo::Repository& repository, exec::Pool& pool, const CheckRequest& request, CheckObserver& observer)
      : repository_(repository), pool_(pool), request_(request), observer_(observer) {}

  Result<CheckResult> run() {
    if (request_.repository) CAIRN_CHECKED(check_repository());
    if (request_.archives) CAIRN_CHECKED(check_archives());
    return CheckResult{.problems = problems_};
  }

 private:
  using Phase = CheckObserver::Phase;

  Status check_repository();
  Status check_defaults();
  Status check_archives();
  Status load_index();
  Status forget_missing_packs();
  Status check_archive(const archive::ArchiveSummary& summary);
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
  bool archives_bad_ = false;  // part 2 found something
  bool problems_ = false;
};

Status Check::check_repository() {
  CAIRN_TRY(const repo::PackCheckReport report, repo::check_packs(repository_, pool_,
                                                                  {.max_duration = request_.max_duration,
                                                                   .max_age = request_.max_age,
                                                                   .interrupted = request_.interrupted,
                                                                   .index_progress = progress(Phase::Index),
                                                                   .pack_progress = progress(Phase::Packs)}));
  if (report.problems()) problems_ = true;
  return check_defaults();
}

Status Check::check_defaults() {
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
      what = "is not valid";
      break;
    default:
      return fail(defaults.error().clone());
  }
  log(Level::Error, "borg.archiver.check_cmd",
      fmt::format("Repository defaults object config/defaults {}. Run \"borg check --repair\" to store empty defaults.",
                  what));
  problems_ = true;
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

void Check::report(const archive::ArchiveSummary& summary, const ScanProblem& problem) {
  using Where = ScanProblem::Where;
  archives_bad_ = true;
  const std::string id = problem.id.hex();
  const std::string state = problem.missing ? "is missing!" : fmt::format("is corrupted: {}", problem.text);
  switch (problem.where) {
    case Where::Metadata:
      error(fmt::format("Archive metadata block {} {}", id, state));
      error(fmt::format("Would delete broken archive {} {}.", summary.name, id));
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
      error(fmt::format("Missing chunk detected: {}, {}.", chunk.id.hex(), format_size(chunk.size)));
    }
  }
  if (item.size && *item.size != size) {
    log(Level::Warning, kLogger,
        fmt::format("Archive {}: {}: size inconsistency: the item says {} bytes, its chunks hold {}.", summary.name,
                    item.path, *item.size, size));
  }
}

Status Check::check_archive(const archive::ArchiveSummary& summary) {
  const ScanCallbacks callbacks{.item = [&](archive::Item&& item) -> Status {
                                  check_item(summary, item);
                                  return {};
                                },
                                .problem = [&](const ScanProblem& problem) { report(summary, problem); }};
  return scan_archive(repository_, pool_, summary.id, callbacks, request_.interrupted);
}

Status Check::check_archives() {
  info("Starting archive consistency check...");
  CAIRN_CHECKED(load_index());
  if (request_.verify_data) {
    CAIRN_TRY(const repo::VerifyReport report,
              repo::verify_data(repository_, pool_, progress(Phase::VerifyData), request_.interrupted));
    if (report.errors > 0) archives_bad_ = true;
  }
  CAIRN_CHECKED(forget_missing_packs());
  CAIRN_TRY(auto all, load_archives(repository_, pool_));
  CAIRN_TRY(const auto selected, archive::select(std::move(all), request_.selection));
  std::uint64_t done = 0;
  for (const archive::ArchiveSummary& summary : selected) {
    CAIRN_CHECKED(repository_.check_lock());
    ++done;
    observer_.progress(Phase::Archives, done, selected.size());
    info(fmt::format("Analyzing archive {} ({}/{})",
                     request_.describe ? request_.describe(summary) : name_time_id(summary), done, selected.size()));
    CAIRN_CHECKED(check_archive(summary));
  }
  if (!missing_.empty()) {
    archives_bad_ = true;
    error("The following chunks are missing in the repository:");
    for (const std::string& line : missing_.lines()) error(line);
  }
  if (archives_bad_) {
    problems_ = true;
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
