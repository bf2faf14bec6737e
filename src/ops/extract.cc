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
#include "ops/mirror_paths.h"

namespace cairn::ops {
namespace {

constexpr std::size_t kBatchItems = 64;
constexpr std::uint64_t kBatchBytes = std::uint64_t{1} << 20U;
constexpr std::size_t kPathsBetweenWaits = 65536;
constexpr std::size_t kLinkChunksBetweenWaits = std::size_t{1} << 20U;  // 40 bytes each, held for links that fail
constexpr std::uint64_t kFlagsThatLock = 0x2U | 0x4U;  // immutable, append-only: no more links once they are set
constexpr std::size_t kUnselectedDirectories = 65536;
constexpr Nanoseconds kJustWritten = 2 * kSecond;  // the coarsest stamp of a file system
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

// Attributes of an item, which must outlive them.
struct WantedAttributes {
  fs::Attributes extra;
  fs::RestoreAttributes all;
};

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

  // What stands where an object is to be restored.
  enum class There { Nothing, Equal, OtherAttributes, Other };

  // In the target's paths; nothing if the item has none there.
  std::optional<std::string> path_of(const archive::Item& item, bool report);
  Status look_ahead(const archive::Metadata& metadata);
  void remove_others(const MirrorPaths& paths);
  Status take(archive::Item&& item);
  char letter(const Job& job);
  void make_parents(const std::string& path);
  void remember_unselected(std::string path, archive::Item item);
  void finish_parent(std::string path, archive::Item item, bool made_now);
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
  std::unique_ptr<WantedAttributes> wanted_attributes(const archive::Item& item) const;
  void set_attributes(const std::string& path, int fd, const archive::Item& item, bool with_flags,
                      bool complete = true);
  void check_content(const Job& job, exec::Worker& worker);
  Status stream(const Job& job);
  bool kept(const Job& job, exec::Worker& worker);
  There compare(const Job& job, exec::Worker& worker);
  bool has_links_of_others(const Job& job, const fs::Stat& stat);
  bool is_same_content(const Job& job, exec::Worker& worker);
  bool has_wanted_attributes(const Job& job, const fs::Stat& stat);
  // Fetches a chunk; missing and damaged ones become zeros and are counted. False: the run has stopped.
  bool fetch(const archive::ChunkRef& chunk, exec::Worker& worker, std::atomic<std::uint64_t>& damaged, Bytes& plain);
  void report_bad_chunk(const archive::ChunkRef& chunk, const Error& error);
  void warn_damaged(const std::string& path, std::uint64_t count);

  repo::Repository& repository_;
  exec::Pool& pool_;
  const ExtractRequest& request_;
  ExtractObserver& observer_;
  Fetchers fetchers_;
  exec::Stop stop_{request_.interrupted};
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
  // Directories that were not selected, for what is selected in them; and those that had to be made before they came.
  std::unordered_map<std::string, archive::Item> unselected_;
  std::unordered_set<std::string> nameless_parents_;
  std::string last_parent_;
  std::mutex linked_;
  std::unordered_map<std::string, Digest256> linked_objects_;  // "device/inode" of objects with several links that stay
  const Nanoseconds started_ = system_clock().now();
};

Status ExtractRun::run(const archive::Metadata& metadata) {
  if (!request_.to_stream && (!request_.dry_run || request_.update_existing)) {
    auto opened = fs::Target::open(request_.target);
    // A dry run does not make the directory.
    if (!opened && !(request_.dry_run && opened.error().code() == Code::NotFound)) {
      return fail(std::move(opened).error());
    }
    if (opened) target_ = std::move(*opened);
  }
  if (request_.want_progress || request_.remove_others) CAIRN_CHECKED(look_ahead(metadata));
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
  if (target_ && !request_.dry_run) observer_.directories(directories_.size());
  for (const auto& [depth, i] : order) {
    set_attributes(directories_[i].path, -1, directories_[i].item, true);
    observer_.directory_done();
  }
  return {};
}

std::optional<std::string> ExtractRun::path_of(const archive::Item& item, bool report) {
  const std::string path = archive::stripped_path(item.path, request_.strip_components);
  if (path.empty()) return std::nullopt;
  if (auto safe = archive::safe_path(path)) return std::move(*safe);
  if (report) {
    observer_.warning(
        path, Error(Code::BackupPathTraversal,
                    fmt::format("{}: not extracted, path contains \"../\" (malicious or corrupted archive)", path)));
  }
  return std::nullopt;
}

// What has to be known before anything is written: how much there is, and what has to go.
Status ExtractRun::look_ahead(const archive::Metadata& metadata) {
  std::uint64_t total = 0;
  MirrorPaths paths;
  CAIRN_CHECKED(for_each_item(repository_, pool_, metadata, [&](archive::Item&& item) -> Status {
    if (stop_.requested()) return stop_.result();
    if (!request_.matcher->match(item.path).include) return {};
    total += item.size.value_or(0);
    if (!request_.remove_others) return {};
    if (const auto path = path_of(item, false)) paths.add(*path, S_ISDIR(item.mode));
    return {};
  }));
  if (request_.want_progress) observer_.total(total);
  if (!request_.remove_others || !target_) return {};
  if (paths.empty()) return fail(Code::Error, "Nothing of the archive would be extracted, so nothing is deleted.");
  paths.seal();
  remove_others(paths);
  return stop_.requested() ? stop_.result() : Status();
}

void ExtractRun::remove_others(const MirrorPaths& paths) {
  class Removals final : public fs::RemovalObserver {
   public:
    Removals(ExtractRun& run, const MirrorPaths& paths) : run_(run), paths_(paths) {}
    bool stopping() override { return run_.stop_.requested(); }
    fs::Wanted wanted(const std::string& path) override { return paths_.wanted(path); }
    void removed(const std::string& path) override { run_.observer_.removed(path); }
    void left(const std::string& path, const Error& why) override {
      run_.observer_.warning(path, item_error(path, "delete", why));
    }

   private:
    ExtractRun& run_;
    const MirrorPaths& paths_;
  };
  Removals removals(*this, paths);
  target_->remove_unwanted(request_.dry_run, removals);
}

// Of a dry run over what is there.
char ExtractRun::letter(const Job& job) {
  switch (compare(job, pool_.main_worker())) {
    case There::Nothing:
      return '+';
    case There::Equal:
      return '=';
    case There::OtherAttributes:
      return 'm';
    case There::Other:
      return 'M';
  }
  return '+';
}

Status ExtractRun::take(archive::Item&& item) {
  if (stop_.requested()) return stop_.result();
  const bool included = request_.matcher->match(item.path).include;
  const bool writes = !request_.dry_run && !request_.to_stream;
  const bool lists_late = included && request_.dry_run && target_;
  if (request_.want_list && !lists_late) {
    const std::string shown = archive::stripped_path(item.path, request_.strip_components);
    if (!shown.empty()) observer_.listed(included ? '+' : '-', shown);
  }
  if (!included && !(writes && S_ISDIR(item.mode))) return {};
  std::optional<std::string> path = path_of(item, included);
  if (!path) return {};
  if (!included) {
    remember_unselected(std::move(*path), std::move(item));
    return {};
  }
  Job job{std::move(item), std::move(*path)};
  if (request_.want_list && lists_late) observer_.listed(letter(job), job.path);
  if (!writes) {
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
  if (!request_.matcher->empty()) make_parents(job.path);
  if (S_ISDIR(job.item.mode)) {
    // A directory is needed at once; its attributes come last. One that is there already is kept.
    target_->clear(job.path, true);
    if (auto made = target_->make_directory(job.path); !made) {
      observer_.warning(job.path, item_error(job.path, "mkdir", made.error()));
      return {};
    }
    if (request_.update_existing) target_->open_to_owner(job.path);
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

void ExtractRun::remember_unselected(std::string path, archive::Item item) {
  if (path == ".") return;
  item.chunks.reset();
  if (nameless_parents_.erase(path) > 0) return finish_parent(std::move(path), std::move(item), true);
  if (unselected_.size() >= kUnselectedDirectories) {
    // Most archives have a directory right before what is in it.
    std::erase_if(unselected_, [&](const auto& entry) {
      return !(path.starts_with(entry.first) && path.size() > entry.first.size() && path[entry.first.size()] == '/');
    });
  }
  unselected_.insert_or_assign(std::move(path), std::move(item));
}

// Directories that are not selected themselves but have something in them that is.
void ExtractRun::make_parents(const std::string& path) {
  const std::size_t last = path.rfind('/');
  if (last == std::string::npos || path.compare(0, last, last_parent_) == 0) return;
  last_parent_ = path.substr(0, last);
  for (std::size_t end = path.find('/'); end != std::string::npos; end = path.find('/', end + 1)) {
    std::string parent = path.substr(0, end);
    const auto found = unselected_.find(parent);
    const auto there = target_->stat(parent);
    if (!there) return;  // making the object itself will tell why
    const bool missing = !*there;
    if (missing && !target_->make_directory(parent)) return;
    if (found != unselected_.end()) {
      archive::Item item = std::move(found->second);
      unselected_.erase(found);
      if (missing || (*there)->is_directory()) finish_parent(std::move(parent), std::move(item), missing);
    } else if (missing) {
      nameless_parents_.insert(std::move(parent));
    }
  }
}

// A new one gets owner and mode at once, with all rights of its owner: so an interrupted run's directory is known
// again. One that was there before and was meant to be another stays as it is.
void ExtractRun::finish_parent(std::string path, archive::Item item, bool made_now) {
  const auto wanted = wanted_attributes(item);
  if (!made_now && request_.update_existing) {
    const auto there = target_->stat(path);
    if (!there || !*there) return;
    const fs::Stat& stat = **there;
    const bool same = (stat.mode | S_IRWXU) == (item.mode | S_IRWXU) &&
                      (wanted->all.uid < 0 || stat.uid == wanted->all.uid || stat.uid == ::geteuid()) &&
                      (wanted->all.gid < 0 || stat.gid == wanted->all.gid || ::geteuid() != 0);
    if (!same) return;
    target_->open_to_owner(path);
  } else {
    wanted->all.mode |= S_IRWXU;
    wanted->all.set_times = wanted->all.set_flags = false;
    static_cast<void>(target_->set_attributes(path, -1, wanted->all));  // the end tells what cannot be set
  }
  directories_.push_back({std::move(path), std::move(item)});
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
    if (request_.update_existing && links_already(link)) return;
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
  if (request_.update_existing && kept(job, worker)) return;
  const bool is_regular = S_ISREG(job.item.mode);
  const auto status = is_regular ? regular(job, worker) : create_object(job, worker);
  if (status) return;
  note_failure(job);
  observer_.warning(job.path, item_error(job.path, is_regular ? "open" : "create", status.error()));
}

bool ExtractRun::kept(const Job& job, exec::Worker& worker) {
  const There there = compare(job, worker);
  if (there == There::OtherAttributes) {
    const bool locks = job.item.hlid && (job.item.bsdflags.value_or(0) & kFlagsThatLock) != 0;
    set_attributes(job.path, -1, job.item, !locks);
  }
  return there == There::Equal || there == There::OtherAttributes;
}

ExtractRun::There ExtractRun::compare(const Job& job, exec::Worker& worker) {
  const archive::Item& item = job.item;
  const auto found = target_->stat(job.path);
  if (!found || !*found) return There::Nothing;
  const fs::Stat& stat = **found;
  if ((stat.mode & S_IFMT) != (item.mode & S_IFMT)) return There::Other;
  if (!stat.is_directory() && has_links_of_others(job, stat)) return There::Other;
  bool same = true;
  switch (item.mode & S_IFMT) {
    case S_IFREG:
      same = is_same_content(job, worker);
      break;
    case S_IFLNK: {
      const auto target = target_->link_target(job.path);
      same = target && *target == item.target.value_or("");
      break;
    }
    case S_IFCHR:
    case S_IFBLK:
      same = stat.rdev == item.rdev.value_or(0);
      break;
    default:
      break;
  }
  if (!same) return There::Other;
  if (has_wanted_attributes(job, stat)) return There::Equal;
  // What has several names is made anew, so that no name gets attributes that are not its own.
  const bool can_change = stat.is_directory() || (stat.is_regular() && stat.links == 1);
  return can_change ? There::OtherAttributes : There::Other;
}

bool ExtractRun::has_links_of_others(const Job& job, const fs::Stat& stat) {
  if (stat.links <= 1) return false;
  if (!job.item.hlid) return true;
  const std::lock_guard lock(linked_);
  const auto [entry, is_new] =
      linked_objects_.try_emplace(fmt::format("{}/{}", stat.device, stat.inode), *job.item.hlid);
  return !is_new && entry->second != *job.item.hlid;
}

bool ExtractRun::is_same_content(const Job& job, exec::Worker& worker) {
  const archive::Item& item = job.item;
  std::uint64_t size = 0;
  if (item.chunks) {
    for (const auto& chunk : *item.chunks) size += chunk.size;
  }
  const auto file = target_->open_file(job.path);
  if (!file) return false;
  const auto stat = fs::stat_of(file->get(), job.path);
  if (!stat || !stat->is_regular() || stat->size != size || item.size.value_or(size) != size) return false;
  if (!request_.check_content && stat->mtime == item.mtime && stat->mtime < started_ - kJustWritten) return true;
  Fetcher& fetcher = fetchers_(worker);
  std::uint64_t offset = 0;
  if (!item.chunks) return true;
  for (const archive::ChunkRef& chunk : *item.chunks) {
    if (stop_.requested()) return true;
    fetcher.plain.resize(chunk.size);
    for (std::size_t have = 0; have < chunk.size;) {
      const ssize_t read =
          ::pread(file->get(), fetcher.plain.data() + have, chunk.size - have, static_cast<off_t>(offset + have));
      if (read < 0 && errno == EINTR) continue;
      if (read <= 0) return false;
      have += static_cast<std::size_t>(read);
    }
    if (repository_.id_hash()(fetcher.plain.view(), worker.spare()) != chunk.id) return false;
    offset += chunk.size;
  }
  return true;
}

bool ExtractRun::has_wanted_attributes(const Job& job, const fs::Stat& stat) {
  const auto wanted = wanted_attributes(job.item);
  const fs::RestoreAttributes& all = wanted->all;
  if (stat.mtime != all.mtime || (!stat.is_symlink() && stat.mode != all.mode)) return false;
  if ((all.uid >= 0 && stat.uid != all.uid) || (all.gid >= 0 && stat.gid != all.gid)) return false;
  const fs::AttributeOptions options{
      .flags = all.set_flags, .acls = all.set_acls, .xattrs = all.set_xattrs, .numeric_ids = request_.numeric_ids};
  const auto there = target_->attributes(job.path, stat, options);
  if (!there) return false;
  const bool can_have_flags = stat.is_regular() || stat.is_directory();
  if (all.set_flags && can_have_flags && there->bsdflags != wanted->extra.bsdflags) return false;
  if (all.set_acls && !stat.is_symlink() &&
      (there->has_acl != wanted->extra.has_acl || there->acl_access != wanted->extra.acl_access ||
       there->acl_default != wanted->extra.acl_default)) {
    return false;
  }
  if (!all.set_xattrs) return true;
  // A label that the system gave is no difference.
  auto others = there->xattrs;
  const auto is_known = [&](const std::string& name) {
    return std::ranges::any_of(wanted->extra.xattrs, [&](const auto& one) { return one.first == name; });
  };
  std::erase_if(others, [&](const auto& one) {
    return one.first.starts_with("security.") && one.first != "security.capability" && !is_known(one.first);
  });
  return others == wanted->extra.xattrs;
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
  observer_.warning(
      path, Error(Code::BackupDamagedChunks,
                  fmt::format("{}: {} chunk(s) missing or corrupted in the repository, replaced by all-zero data", path,
                              count)));
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
        observer_.warning(file.job.path,
                          backup_error(file.job.path, "write", os_error(written < 0 ? errno : ENOSPC, file.job.path)));
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
    file.failed = true;
    note_failure(file.job);
    observer_.warning(path, backup_error(path, "truncate", os_error(errno, path)));
  }
  const bool locks = item.hlid && (item.bsdflags.value_or(0) & kFlagsThatLock) != 0;
  const bool complete = !file.failed && file.damaged == 0;
  set_attributes(path, file.fd.get(), item, !locks, complete);
  if (const int error = file.fd.close(); error != 0) {
    note_failure(file.job);
    // Only now the file system tells that something was not written: the file must not pass for complete.
    archive::Item now = item;
    now.chunks.reset();
    now.mtime = system_clock().now();
    now.atime.reset();
    set_attributes(path, -1, now, false);
    observer_.warning(path, backup_error(path, "close", os_error(error, path)));
  }
  if (item.size && *item.size != size) {
    observer_.warning(path, Error(Code::Backup, fmt::format("{}: Size inconsistency detected: size {}, chunks size {}",
                                                            path, *item.size, size)));
  }
  warn_damaged(path, file.damaged.load());
}

std::unique_ptr<WantedAttributes> ExtractRun::wanted_attributes(const archive::Item& item) const {
  auto wanted = std::make_unique<WantedAttributes>();
  fs::Attributes& extra = wanted->extra;
  extra.bsdflags = static_cast<std::uint32_t>(item.bsdflags.value_or(0));
  if (item.xattrs) extra.xattrs = *item.xattrs;
  if (item.acl_access) extra.acl_access = *item.acl_access;
  if (item.acl_default) extra.acl_default = *item.acl_default;
  extra.has_acl = item.acl_access || item.acl_default;
  fs::RestoreAttributes& all = wanted->all;
  all = {.mode = item.mode, .mtime = item.mtime, .atime = item.atime};
  auto owner = [&](const std::optional<std::int64_t>& id, const std::optional<std::string>& name, auto&& lookup) {
    if (name && !name->empty() && !request_.numeric_ids) {
      if (const std::int64_t local = lookup(*name); local >= 0) return local;
    }
    return id.value_or(-1);
  };
  all.uid = owner(item.uid, item.user, fs::user_id);
  all.gid = owner(item.gid, item.group, fs::group_id);
  all.extra = &extra;
  all.set_flags = request_.set_flags && item.bsdflags.has_value();
  all.set_acls = request_.set_acls;
  all.set_xattrs = request_.set_xattrs;
  all.numeric_ids = request_.numeric_ids;
  return wanted;
}

void ExtractRun::set_attributes(const std::string& path, int fd, const archive::Item& item, bool with_flags,
                                bool complete) {
  const auto wanted = wanted_attributes(item);
  wanted->all.set_flags = wanted->all.set_flags && with_flags;
  wanted->all.set_times = complete;
  // The target itself is the user's.
  wanted->all.exact = request_.update_existing && path != ".";
  const auto set = target_->set_attributes(path, fd, wanted->all);
  if (!set) {
    observer_.warning(path, item_error(path, "attrs", set.error()));
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
