#include "ops/create.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "base/env.h"
#include "base/log.h"
#include "base/user_dirs.h"
#include "fs/timestamp_slack.h"
#include "ops/archives.h"
#include "ops/create_run.h"
#include "ops/cutters.h"
#include "ops/repository_cache.h"

namespace cairn::ops {
namespace {

constexpr Nanoseconds kProgressInterval = kSecond / 10;

unsigned files_cache_ttl() {
  unsigned runs = 2;
  if (const auto text = env_nonempty("BORG_FILES_CACHE_TTL")) {
    std::from_chars(text->data(), text->data() + text->size(), runs);
  }
  return runs;
}

// CAIRN_READERS: how many workers read files at once; without it what the request says.
Result<std::optional<unsigned>> readers_from_environment() {
  const auto text = env_nonempty("CAIRN_READERS");
  if (!text) return std::nullopt;
  unsigned readers = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), readers);
  if (error != std::errc() || end != text->data() + text->size() || readers < 1 || readers > 1024) {
    return fail(Code::Usage, fmt::format("CAIRN_READERS must be from 1 to 1024, but is: '{}'", *text));
  }
  return readers;
}

}  // namespace

Status CreateRun::prepare() {
  chunk::Params cutting = request_.chunker;
  if (cutting.algorithm == chunk::Algorithm::Fail) {
    CAIRN_TRY(auto failing, FailingReads::make(cutting));
    failing_reads_.emplace(std::move(failing));
    cutting = FailingReads::cutting(cutting);
  }
  CAIRN_TRY(cutter_, make_cutter(repository_, cutting));
  for (const std::string& directory : {cache_dir(), repository_.location()}) {
    struct stat st{};
    if (::stat(directory.c_str(), &st) == 0) skip_.push_back({st.st_dev, st.st_ino});
  }
  if (request_.dry_run) return {};
  CAIRN_CHECKED(repository_.load_index(repo::BadFragments::Error, pool_));
  CAIRN_CHECKED(repository_.forget_missing_packs());
  CAIRN_TRY(archive_, ArchiveWriter::make(repository_, pool_, request_.compression));
  content_ = std::make_unique<ContentContext>(ContentContext{pool_, budget_, stop_, archive_->chunks(), *cutter_});
  return load_files_cache();
}

Status CreateRun::load_files_cache() {
  if (!request_.files_cache.enabled || request_.matcher == nullptr) return {};
  CAIRN_TRY(const std::string directory, ensure_own_cache(repository_.id()));
  files_cache_path_ = directory + "/" + files_cache_name(request_.name);
  if (auto loaded = FilesCache::load(files_cache_path_, repository_.material().id_key)) {
    files_cache_ = std::move(*loaded);
    return {};
  }
  return rebuild_files_cache();
}

// Without a files cache the newest archive of the same group says what the files were.
Status CreateRun::rebuild_files_cache() {
  auto archives = load_archives(repository_, pool_);
  if (!archives) {
    if (archives.error().code() == Code::PermissionDenied) return {};  // a write-only client
    return std::unexpected<Error>(std::move(archives).error());
  }
  const archive::ArchiveSummary* newest = nullptr;
  auto same_group = [this](const archive::ArchiveSummary& summary) {
    return std::ranges::all_of(request_.group_by, [&](const std::string& key) {
      if (key == "name") return summary.name == request_.name;
      if (key == "host") return summary.hostname == request_.hostname;
      return key != "user" || summary.username == request_.username;
    });
  };
  for (const auto& summary : *archives) {
    if (summary.problem != archive::ArchiveSummary::Problem::None || !same_group(summary)) continue;
    if (newest == nullptr || summary.time > newest->time) newest = &summary;
  }
  if (newest == nullptr) return {};
  auto metadata = load_metadata(repository_, newest->id);
  if (!metadata) return {};
  Nanoseconds newest_time = 0;
  auto visit = [&](const std::function<void(const archive::Item&, Nanoseconds)>& use) {
    return for_each_item(repository_, pool_, *metadata, [&](archive::Item&& item) -> Status {
      if (S_ISREG(item.mode) && item.chunks) {
        use(item, request_.files_cache.by_ctime ? item.ctime.value_or(0) : item.mtime);
      }
      return {};
    });
  };
  const hash::Key256& secret = repository_.material().id_key;
  FilesCache rebuilt;
  // Those that carry the newest time may have changed unseen, and those that were young when the archive began.
  std::vector<std::pair<PathKey, CachedFile>> latest;
  const Nanoseconds archive_start =
      metadata->start ? archive::parse_iso(*metadata->start, false).value_or(newest->time) : newest->time;
  const auto status = visit([&](const archive::Item& item, Nanoseconds time) {
    CachedFile file{.facts = {.inode = item.inode.value_or(0),
                              .size = item.size.value_or(0),
                              .ctime = item.ctime.value_or(0),
                              .mtime = item.mtime,
                              .bsdflags = static_cast<std::uint32_t>(item.bsdflags.value_or(0))},
                    .chunks = *item.chunks,
                    .digests = {}};
    if (item.digests) file.digests = *item.digests;
    const PathKey key = item.hlid ? link_key(secret, *item.hlid) : path_key(secret, item.path);
    if (time > newest_time) {
      newest_time = time;
      for (const auto& [old_key, old_file] : latest) rebuilt.remember(old_key, old_file, FilesCache::Origin::Known);
      latest.clear();
    }
    if (!fs::is_settled(time, archive_start, fs::kCoarseSlack)) return;
    if (time == newest_time) {
      latest.emplace_back(key, std::move(file));
    } else {
      rebuilt.remember(key, file, FilesCache::Origin::Known);
    }
  });
  if (!status) {
    log(Level::Debug, "borg.cache", fmt::format("Rebuilding the files cache: {}", status.error().text()));
    return {};  // a cache only: the files are read instead
  }
  rebuilt.adopt_remembered();
  files_cache_ = std::move(rebuilt);
  return {};
}

Status CreateRun::save_files_cache() {
  if (files_cache_path_.empty()) return {};
  // Whatever clocks say: a change after the newest file was read cannot carry an older time on the same file system.
  return files_cache_.save(files_cache_path_, repository_.material().id_key, request_.files_cache,
                           newest_read_.value_or(start_), files_cache_ttl());
}

void CreateRun::commit(Outcome&& outcome, exec::Worker& worker) {
  if (stop_.requested()) return;
  char letter = outcome.letter;
  if (outcome.group) {
    if (outcome.group->committed) letter = 'h';
    outcome.group->committed = true;
  }
  if (outcome.warning) observer_.warning(outcome.shown, *outcome.warning);
  if (letter != 0) {
    ++counted_.files_stats[letter];
    if (request_.want_status) observer_.status(letter, outcome.shown);
  }
  if (outcome.is_file) ++counted_.files;
  counted_.original_size += outcome.content_size;
  counted_.deduplicated_size += outcome.new_bytes;
  if (!outcome.item.empty()) {
    if (auto status = archive_->add_item(worker, outcome.item); !status) {
      stop_.fail(std::move(status).error());
      return;
    }
  }
  if (outcome.newest) newest_read_ = std::max(newest_read_.value_or(*outcome.newest), *outcome.newest);
  if (outcome.remember) {
    files_cache_.remember(outcome.remember->first, outcome.remember->second,
                          outcome.newest ? FilesCache::Origin::Read : FilesCache::Origin::Known);
  }
  if (!outcome.shown.empty()) report_progress(outcome.shown, false);
}

void CreateRun::report_progress(const std::string& path, bool force) {
  const Nanoseconds now = system_clock().monotonic();
  if (!force && now - last_progress_ < kProgressInterval) return;
  last_progress_ = now;
  counted_.path = path.starts_with('/') ? path.substr(1) : path;  // as it is stored
  observer_.progress(counted_);
}

CreateProgress CreateRun::totals() const {
  CreateProgress totals = counted_;
  if (archive_) totals.hashing_seconds = archive_->chunks().hashing_seconds();
  scratch_.for_each([&](const Scratch& one) { totals.chunking_seconds += one.cutting.seconds(); });
  return totals;
}

Result<CreateResult> CreateRun::run() {
  start_ = system_clock().now();
  CAIRN_TRY(auto readers, readers_from_environment());
  if (!readers) readers = request_.readers;
  CAIRN_CHECKED(prepare());
  // Every file is read by a Begin task; the walk itself is not counted.
  if (failing_reads_) readers = 1;  // its map is in the order of the files
  if (readers) pool_.limit_begin(*readers);
  repository_.on_lock_lost([this](Error error) { stop_.fail(std::move(error)); });
  if (!request_.content_command.empty()) {
    if (auto status = command_output(); !status) stop_.fail(std::move(status).error());
  } else if (request_.next_path) {
    read_listed_paths();
  } else {
    walk_roots();
  }
  flush_batch();
  pool_.drain();
  auto result = finish(start_);
  repository_.on_lock_lost({});
  return result;
}

Result<CreateResult> CreateRun::finish(Nanoseconds start) {
  if (auto status = stop_.result(); !status) {
    // Chunks that are through are kept findable, unless the repository itself is the problem.
    if (archive_ && status.error().code() == Code::Interrupted) {
      if (auto kept = archive_->keep_chunks(); !kept) {
        log(Level::Warning, "borg.archive", fmt::format("Keeping finished chunks: {}", kept.error().text()));
      }
      if (auto saved = save_files_cache(); !saved) log(Level::Debug, "borg.cache", saved.error().text());
    }
    return std::unexpected<Error>(std::move(status).error());
  }
  CreateResult result;
  result.start = start;
  archive::Metadata& metadata = result.metadata;
  metadata.name = request_.name;
  metadata.command_line = request_.command_line;
  metadata.hostname = request_.hostname;
  metadata.username = request_.username;
  metadata.comment = request_.comment;
  metadata.tags = request_.tags;
  std::ranges::sort(metadata.tags);
  metadata.tags.erase(std::ranges::unique(metadata.tags).begin(), metadata.tags.end());
  metadata.chunker_params = request_.chunker;
  std::string cwd(4096, '\0');
  if (::getcwd(cwd.data(), cwd.size()) != nullptr) metadata.cwd = cwd.c_str();
  metadata.start = archive::iso_utc(start);
  metadata.time = request_.timestamp ? request_.timestamp->stored : *metadata.start;
  result.end = system_clock().now();
  metadata.end = archive::iso_utc(result.end);
  metadata.nfiles = counted_.files;
  if (!request_.dry_run) {
    CAIRN_TRY(const ArchiveWriter::Committed done, archive_->commit(main_, metadata, counted_.original_size));
    result.id = done.id;
    metadata.size = counted_.original_size + done.stream_bytes;
    if (auto status = save_files_cache(); !status) {
      log(Level::Warning, "borg.cache", fmt::format("The files cache could not be saved: {}", status.error().text()));
    }
    // What --stats shows also counts the archive object itself.
    counted_.original_size += done.stream_bytes + done.archive_object_bytes;
    counted_.deduplicated_size += done.new_metadata_bytes;
    if (auto status = repository_.fragments().repack(); !status) {
      log(Level::Warning, "borg.repository", fmt::format("Merging small index fragments: {}", status.error().text()));
    }
  }
  result.totals = totals();
  return result;
}

Result<CreateResult> create(repo::Repository& repository, exec::Pool& pool, const CreateRequest& request,
                            CreateObserver& observer) {
  CreateRequest sorted = request;
  std::ranges::sort(sorted.digests);
  CreateRun run(repository, pool, sorted, observer);
  return run.run();
}

}  // namespace cairn::ops
