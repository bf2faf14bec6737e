#include "ops/extract.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "archive/stripped_path.h"
#include "base/log.h"
#include "chunk/cutter.h"
#include "exec/memory_bound.h"
#include "exec/stop.h"
#include "fs/target.h"
#include "ops/archives.h"
#include "ops/backup_error.h"
#include "ops/chunk_stream.h"

namespace cairn::ops {
namespace {

constexpr std::size_t kBatchItems = 64;
constexpr std::uint64_t kBatchBytes = std::uint64_t{1} << 20U;
constexpr std::size_t kPathsBetweenWaits = 65536;
constexpr std::size_t kLinkChunksBetweenWaits = std::size_t{1} << 20U;  // 40 bytes each, held for links that fail
constexpr std::uint64_t kFlagsThatLock = 0x2U | 0x4U;  // immutable, append-only: no more links once they are set
constexpr std::string_view kLogger = "borg.archive";

bool is_missing(const Error& error) {
  return error.code() == Code::ObjectNotFound || error.code() == Code::PackNotFound;
}
bool is_damage(const Error& error) { return error.code() == Code::Integrity || error.code() == Code::Decompression; }

// A problem of one file, which the run survives.
Error item_error(const std::string& path, std::string_view operation, const Error& cause) {
  if (cause.os_error() != 0) return backup_error(path, operation, cause);
  return cause.clone();
}

class ExtractRun {
 public:
  ExtractRun(repo::Repository& repository, exec::Pool& pool, const ExtractRequest& request, ExtractObserver& observer)
      : repository_(repository),
        pool_(pool),
        request_(request),
        observer_(observer),
        fetchers_(make_fetchers(repository, pool)) {}

  Status run(const archive::Metadata& metadata);

 private:
  struct Job {
    archive::Item item;
    std::string path;  // to be restored at
  };
  // A file that is being written, by several workers if it has many chunks.
  struct OpenFile {
    Job job;
    Fd fd;
    std::atomic<std::size_t> open{1};
    std::atomic<std::uint64_t> damaged{0};
    std::atomic<bool> failed{false};
    // The kernel lets one thread at a time write to a file and has the others spin: they had better sleep here.
    std::mutex writing;
  };
  struct LateAttributes {
    std::string path;
    archive::Item item;  // without content
  };
  struct Link {
    Job job;  // complete: if it cannot be linked it is restored for itself
    std::string first;
  };

  Status take(archive::Item&& item);
  void add(Job job);
  void flush_batch();
  void settle();  // waits for all files, then makes the links that were put off
  void link(Link link);
  bool links_already(const Link& link);
  void forget(const std::string& path);  // what was restored there is about to be replaced
  void become_first(const Job& job);
  void note_failure(const Job& job);
  void one(Job job, exec::Worker& worker);
  Status create_object(Job& job, exec::Worker& worker);
  Status regular(Job& job, exec::Worker& worker);  // takes the job if it succeeds
  void write_chunk(OpenFile& file, const archive::ChunkRef& chunk, std::uint64_t offset, exec::Worker& worker);
  void end_part(const std::shared_ptr<OpenFile>& file);
  void finish_file(OpenFile& file);
  void set_attributes(const std::string& path, int fd, const archive::Item& item, bool with_flags);
  void check_content(const Job& job, exec::Worker& worker);
  Status stream(const Job& job);
  bool kept(const Job& job);
  // Fetches a chunk; missing and damaged ones become zeros and are counted. False: the run has stopped.
  bool fetch(const archive::ChunkRef& chunk, exec::Worker& worker, std::atomic<std::uint64_t>& damaged, Bytes& plain);
  void report_bad_chunk(const archive::ChunkRef& chunk, const Error& error);
  void warn_damaged(const std::string& path, std::uint64_t count);
  bool stopping();

  repo::Repository& repository_;
  exec::Pool& pool_;
  const ExtractRequest& request_;
  ExtractObserver& observer_;
  Fetchers fetchers_;
  exec::Stop stop_;
  std::unique_ptr<fs::Target> target_;
  std::vector<Job> batch_;
  std::uint64_t batch_bytes_ = 0;
  std::unordered_set<std::string> in_flight_;               // paths of files since the last wait
  std::unordered_map<Digest256, std::string> first_names_;  // of hard link groups
  std::unordered_set<std::size_t> first_hashes_;            // of those names
  std::vector<Link> links_;
  std::size_t link_chunks_ = 0;  // that links_ hold
  std::mutex failures_;
  std::unordered_set<std::string> failed_;  // members of hard link groups that could not be restored
  std::vector<LateAttributes> directories_, locked_;
};

bool ExtractRun::stopping() {
  if (request_.interrupted != nullptr && request_.interrupted->load(std::memory_order_relaxed) && !stop_.requested()) {
    stop_.fail(Error(Code::Interrupted, "Got Ctrl-C / SIGINT."));
  }
  return stop_.requested();
}

Status ExtractRun::run(const archive::Metadata& metadata) {
  if (!request_.dry_run && !request_.to_stream) {
    CAIRN_TRY(target_, fs::Target::open(request_.target));
  }
  if (request_.want_progress) {
    std::uint64_t total = 0;
    CAIRN_CHECKED(for_each_item(repository_, pool_, metadata, [&](archive::Item&& item) -> Status {
      if (request_.matcher->match(item.path).include) total += item.size.value_or(0);
      return {};
    }));
    observer_.total(total);
  }
  auto status =
      for_each_item(repository_, pool_, metadata, [this](archive::Item&& item) { return take(std::move(item)); });
  settle();
  if (stop_.requested()) return stop_.result();
  if (!status) return status;
  for (const LateAttributes& late : locked_) set_attributes(late.path, -1, late.item, true);
  // Deepest first, so that making the parent's times right is not undone by its children; of the same path the last
  // wins. (std::stable_sort of this library uses a function that Clang 19 warns of.)
  std::vector<std::pair<std::ptrdiff_t, std::size_t>> order;
  for (std::size_t i = 0; i < directories_.size(); ++i) {
    const std::string& path = directories_[i].path;
    order.emplace_back(path == "." ? 1 : -std::ranges::count(path, '/'), i);
  }
  std::ranges::sort(order);
  if (target_) observer_.directories(directories_.size());
  for (const auto& [depth, i] : order) {
    set_attributes(directories_[i].path, -1, directories_[i].item, true);
    observer_.directory_done();
  }
  return {};
}

Status ExtractRun::take(archive::Item&& item) {
  if (stopping()) return stop_.result();
  const bool included = request_.matcher->match(item.path).include;
  std::string path = archive::stripped_path(item.path, request_.strip_components);
  if (path.empty()) return {};
  if (request_.want_list) observer_.listed(included, path);
  if (!included) return {};
  if (auto safe = archive::safe_path(path)) {
    path = std::move(*safe);
  } else {
    observer_.warning(
        Error(Code::BackupPathTraversal,
              fmt::format("{}: not extracted, path contains \"../\" (malicious or corrupted archive)", path)));
    return {};
  }
  Job job{std::move(item), std::move(path)};
  if (request_.dry_run || request_.to_stream) {
    if (!job.item.chunks) return {};
    if (job.item.hlid && !first_names_.try_emplace(*job.item.hlid, job.path).second) return {};
    if (request_.to_stream) return stream(job);
    add(std::move(job));
    return {};
  }
  // Two objects at one path, or one below another that is no directory: the earlier one is finished first.
  bool meets = in_flight_.size() >= kPathsBetweenWaits || in_flight_.contains(job.path);
  for (auto slash = job.path.rfind('/'); !meets && slash != std::string::npos && slash > 0;
       slash = job.path.rfind('/', slash - 1)) {
    meets = in_flight_.contains(job.path.substr(0, slash));
  }
  if (meets || link_chunks_ >= kLinkChunksBetweenWaits) settle();
  const bool in_group = job.item.hlid && !S_ISDIR(job.item.mode);
  std::optional<std::string> first;
  if (in_group) {
    if (const auto found = first_names_.find(*job.item.hlid); found != first_names_.end()) first = found->second;
    // Restored already: --strip-components made one path of several.
    if (first == job.path) return {};
  }
  if (first_hashes_.contains(std::hash<std::string>{}(job.path))) forget(job.path);
  if (S_ISDIR(job.item.mode)) {
    // A directory is needed at once; its attributes come last. One that is there already is kept.
    target_->clear(job.path, true);
    if (auto made = target_->make_directory(job.path); !made) {
      observer_.warning(item_error(job.path, "mkdir", made.error()));
      return {};
    }
    job.item.chunks.reset();
    directories_.push_back({std::move(job.path), std::move(job.item)});
    return {};
  }
  in_flight_.insert(job.path);
  if (first) {
    link_chunks_ += job.item.chunks ? job.item.chunks->size() : 0;
    links_.push_back({std::move(job), std::move(*first)});
    return {};
  }
  if (in_group) become_first(job);
  add(std::move(job));
  return {};
}

void ExtractRun::become_first(const Job& job) {
  first_names_[*job.item.hlid] = job.path;
  first_hashes_.insert(std::hash<std::string>{}(job.path));
  if ((job.item.bsdflags.value_or(0) & kFlagsThatLock) == 0) return;
  archive::Item facts = job.item;
  facts.chunks.reset();
  locked_.push_back({job.path, std::move(facts)});
}

// Archives may hold one path twice (two roots that were stored under one name). Links to the earlier object are made
// while it is still there; later ones must not be led to the other object.
void ExtractRun::forget(const std::string& path) {
  if (std::erase_if(first_names_, [&](const auto& entry) { return entry.second == path; }) == 0) return;
  settle();
  std::erase_if(locked_, [&](const LateAttributes& late) { return late.path == path; });
}

void ExtractRun::note_failure(const Job& job) {
  if (!job.item.hlid) return;
  const std::lock_guard lock(failures_);
  failed_.insert(job.path);
}

void ExtractRun::add(Job job) {
  batch_bytes_ += job.item.size.value_or(0);
  batch_.push_back(std::move(job));
  if (batch_.size() >= kBatchItems || batch_bytes_ >= kBatchBytes) flush_batch();
}

void ExtractRun::flush_batch() {
  if (batch_.empty()) return;
  batch_bytes_ = 0;
  pool_.submit(pool_.main_worker(), exec::Lane::Begin,
               [this, batch = std::exchange(batch_, {})](exec::Worker& worker) mutable {
                 for (Job& job : batch) {
                   if (stop_.requested()) return;
                   one(std::move(job), worker);
                 }
               });
}

void ExtractRun::settle() {
  flush_batch();
  pool_.drain();
  in_flight_.clear();
  for (Link& put_off : std::exchange(links_, {})) {
    if (stop_.requested()) break;
    link(std::move(put_off));
  }
  link_chunks_ = 0;
}

// --continue: the link is there from an earlier run.
bool ExtractRun::links_already(const Link& link) {
  const auto mine = target_->stat(link.job.path);
  const auto theirs = target_->stat(link.first);
  return mine && *mine && theirs && *theirs && (*mine)->inode == (*theirs)->inode &&
         (*mine)->device == (*theirs)->device;
}

void ExtractRun::link(Link link) {
  const auto first = first_names_.find(*link.job.item.hlid);
  if (first != first_names_.end()) link.first = first->second;
  // What stands where the first one failed may be anything.
  if (!failed_.contains(link.first)) {
    if (request_.keep_equal && links_already(link)) return;
    target_->clear(link.job.path, false);
    if (target_->make_link(link.job.path, link.first)) return;
  }
  // Too many links, none on this file system, or no first one: every member has all it takes to be restored.
  become_first(link.job);
  one(std::move(link.job), pool_.main_worker());
  pool_.drain();
}

void ExtractRun::one(Job job, exec::Worker& worker) {
  if (request_.dry_run) return check_content(job, worker);
  if (request_.keep_equal && kept(job)) return;
  const bool is_regular = S_ISREG(job.item.mode);
  const auto status = is_regular ? regular(job, worker) : create_object(job, worker);
  if (status) return;
  note_failure(job);
  observer_.warning(item_error(job.path, is_regular ? "open" : "create", status.error()));
}

// --continue: a regular file of the same mode, size and mtime.
bool ExtractRun::kept(const Job& job) {
  if (!S_ISREG(job.item.mode)) return false;
  const auto stat = target_->stat(job.path);
  return stat && *stat && (*stat)->mode == job.item.mode && (*stat)->size == job.item.size.value_or(0) &&
         (*stat)->mtime == job.item.mtime;
}

Status ExtractRun::create_object(Job& job, exec::Worker& /*worker*/) {
  target_->clear(job.path, false);
  const archive::Item& item = job.item;
  switch (item.mode & S_IFMT) {
    case S_IFLNK:
      CAIRN_CHECKED(target_->make_symlink(job.path, item.target.value_or("")));
      break;
    case S_IFIFO:
      CAIRN_CHECKED(target_->make_fifo(job.path, item.mode));
      break;
    case S_IFCHR:
    case S_IFBLK:
      CAIRN_CHECKED(target_->make_device(job.path, item.mode, item.rdev.value_or(0)));
      break;
    default:
      return fail(Code::Backup, fmt::format("{}: unknown file type {:o}, not extracted", job.path, item.mode & S_IFMT));
  }
  set_attributes(job.path, -1, item, true);
  return {};
}

Status ExtractRun::regular(Job& job, exec::Worker& worker) {
  target_->clear(job.path, false);
  auto file = std::make_shared<OpenFile>();
  CAIRN_TRY(file->fd, target_->create_file(job.path));
  file->job = std::move(job);
  if (!file->job.item.chunks) file->job.item.chunks.emplace();
  const auto& chunks = *file->job.item.chunks;
  std::uint64_t offset = 0;
  for (const archive::ChunkRef& chunk : chunks) {
    if (chunks.size() == 1) {
      write_chunk(*file, chunk, 0, worker);
    } else {
      file->open.fetch_add(1, std::memory_order_relaxed);
      pool_.submit(worker, exec::Lane::Finish, [this, file, chunk, offset](exec::Worker& on) {
        if (!stop_.requested()) write_chunk(*file, chunk, offset, on);
        end_part(file);
      });
    }
    offset += chunk.size;
  }
  end_part(file);
  return {};
}

void ExtractRun::report_bad_chunk(const archive::ChunkRef& chunk, const Error& error) {
  const std::string what = is_missing(error) ? std::string("missing")
                                             : fmt::format("corrupted ({}: {})",
                                                           error.code() == Code::Decompression ? "Decompression error"
                                                                                               : "Data integrity error",
                                                           error.message());
  log(Level::Error, kLogger,
      fmt::format("repository object {} {}, returning {} zero bytes.", chunk.id.hex(), what, chunk.size));
}

void ExtractRun::warn_damaged(const std::string& path, std::uint64_t count) {
  if (count == 0) return;
  observer_.warning(Error(
      Code::BackupDamagedChunks,
      fmt::format("{}: {} chunk(s) missing or corrupted in the repository, replaced by all-zero data", path, count)));
}

bool ExtractRun::fetch(const archive::ChunkRef& chunk, exec::Worker& worker, std::atomic<std::uint64_t>& damaged,
                       Bytes& plain) {
  Fetcher& fetcher = fetchers_(worker);
  auto meta = repository_.load_object(*fetcher.reader, chunk.id, repo::kAnyType, request_.verify, fetcher.object,
                                      fetcher.plain, chunk.size);
  if (!meta) {
    if (!is_missing(meta.error()) && !is_damage(meta.error())) {
      stop_.fail(std::move(meta).error());
      return false;
    }
    fetcher.plain.resize(chunk.size);
    std::memset(fetcher.plain.data(), 0, chunk.size);
    // Zeros are known without the repository.
    if (!is_missing(meta.error()) || repository_.id_hash().of_zeros(chunk.size) != chunk.id) {
      report_bad_chunk(chunk, meta.error());
      damaged.fetch_add(1, std::memory_order_relaxed);
    }
  }
  plain = fetcher.plain.view();
  return true;
}

void ExtractRun::write_chunk(OpenFile& file, const archive::ChunkRef& chunk, std::uint64_t offset,
                             exec::Worker& worker) {
  Bytes plain;
  if (!fetch(chunk, worker, file.damaged, plain)) return;
  observer_.progress(plain.size(), file.job.path);
  const std::size_t touched = exec::side_by_side(plain.size());
  if (request_.sparse && exec::memory_bound(touched, [&] { return chunk::is_zero(plain); })) return;
  const std::lock_guard lock(file.writing);
  while (!plain.empty()) {
    const ssize_t written = exec::memory_bound(
        touched, [&] { return ::pwrite(file.fd.get(), plain.data(), plain.size(), static_cast<off_t>(offset)); });
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      if (!file.failed.exchange(true)) {
        note_failure(file.job);
        observer_.warning(backup_error(file.job.path, "write", os_error(written < 0 ? errno : ENOSPC, file.job.path)));
      }
      return;
    }
    offset += static_cast<std::uint64_t>(written);
    plain = plain.subspan(static_cast<std::size_t>(written));
  }
}

void ExtractRun::end_part(const std::shared_ptr<OpenFile>& file) {
  if (file->open.fetch_sub(1, std::memory_order_acq_rel) == 1 && !stop_.requested()) finish_file(*file);
}

void ExtractRun::finish_file(OpenFile& file) {
  const archive::Item& item = file.job.item;
  const std::string& path = file.job.path;
  std::uint64_t size = 0;
  for (const auto& chunk : *item.chunks) size += chunk.size;
  if (request_.sparse && ::ftruncate(file.fd.get(), static_cast<off_t>(size)) != 0) {
    note_failure(file.job);
    observer_.warning(backup_error(path, "truncate", os_error(errno, path)));
  }
  const bool locks = item.hlid && (item.bsdflags.value_or(0) & kFlagsThatLock) != 0;
  set_attributes(path, file.fd.get(), item, !locks);
  if (const int error = file.fd.close(); error != 0) {
    note_failure(file.job);
    observer_.warning(backup_error(path, "close", os_error(error, path)));
  }
  if (item.size && *item.size != size) {
    observer_.warning(Error(
        Code::Backup, fmt::format("{}: Size inconsistency detected: size {}, chunks size {}", path, *item.size, size)));
  }
  warn_damaged(path, file.damaged.load());
}

void ExtractRun::set_attributes(const std::string& path, int fd, const archive::Item& item, bool with_flags) {
  fs::Attributes extra;
  extra.bsdflags = static_cast<std::uint32_t>(item.bsdflags.value_or(0));
  if (item.xattrs) extra.xattrs = *item.xattrs;
  if (item.acl_access) extra.acl_access = *item.acl_access;
  if (item.acl_default) extra.acl_default = *item.acl_default;
  extra.has_acl = item.acl_access || item.acl_default;
  fs::RestoreAttributes attributes{.mode = item.mode, .mtime = item.mtime, .atime = item.atime};
  auto owner = [&](const std::optional<std::int64_t>& id, const std::optional<std::string>& name, auto&& lookup) {
    if (name && !name->empty() && !request_.numeric_ids) {
      if (const std::int64_t local = lookup(*name); local >= 0) return local;
    }
    return id.value_or(-1);
  };
  attributes.uid = owner(item.uid, item.user, fs::user_id);
  attributes.gid = owner(item.gid, item.group, fs::group_id);
  attributes.extra = &extra;
  attributes.set_flags = request_.set_flags && with_flags && item.bsdflags.has_value();
  attributes.set_acls = request_.set_acls;
  attributes.set_xattrs = request_.set_xattrs;
  attributes.numeric_ids = request_.numeric_ids;
  const auto set = target_->set_attributes(path, fd, attributes);
  if (!set) {
    observer_.warning(item_error(path, "attrs", set.error()));
  } else if (!*set) {
    observer_.incomplete();
  }
}

// Dry run: everything is fetched and opened, nothing is written.
void ExtractRun::check_content(const Job& job, exec::Worker& worker) {
  struct Count {
    std::atomic<std::uint64_t> damaged{0};
    std::atomic<std::size_t> open{1};
  };
  auto count = std::make_shared<Count>();
  auto end = [this, count, path = job.path] {
    if (count->open.fetch_sub(1, std::memory_order_acq_rel) == 1) warn_damaged(path, count->damaged.load());
  };
  for (const archive::ChunkRef& chunk : *job.item.chunks) {
    count->open.fetch_add(1, std::memory_order_relaxed);
    pool_.submit(worker, exec::Lane::Finish, [this, count, chunk, end, path = job.path](exec::Worker& on) {
      Bytes plain;
      if (!stop_.requested() && fetch(chunk, on, count->damaged, plain)) observer_.progress(plain.size(), path);
      end();
    });
  }
  end();
}

Status ExtractRun::stream(const Job& job) {
  std::size_t next = 0;
  const auto& chunks = *job.item.chunks;
  std::uint64_t damaged = 0;
  ChunkStream stream(repository_, pool_, pool_.main_worker(), fetchers_, repo::kAnyType, request_.verify,
                     [&]() -> std::optional<ChunkStream::Wanted> {
                       if (next == chunks.size()) return std::nullopt;
                       const auto& chunk = chunks[next++];
                       return ChunkStream::Wanted{chunk.id, chunk.size};
                     });
  while (auto chunk = stream.next()) {
    if (!chunk->plain) {
      const archive::ChunkRef ref{chunk->wanted.id, *chunk->wanted.size};
      if (!is_missing(chunk->plain.error()) && !is_damage(chunk->plain.error())) {
        return std::unexpected<Error>(std::move(chunk->plain).error());
      }
      report_bad_chunk(ref, chunk->plain.error());
      ++damaged;
      Buffer zeros(ref.size);
      std::memset(zeros.data(), 0, zeros.size());
      chunk->plain = std::move(zeros);
    }
    observer_.progress(chunk->plain->size(), job.path);
    CAIRN_CHECKED(observer_.write(*chunk->plain));
  }
  warn_damaged(job.path, damaged);
  return {};
}

}  // namespace

Status extract(repo::Repository& repository, exec::Pool& pool, const archive::Metadata& metadata,
               const ExtractRequest& request, ExtractObserver& observer) {
  ExtractRun run(repository, pool, request, observer);
  return run.run(metadata);
}

}  // namespace cairn::ops
