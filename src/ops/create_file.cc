// One object of the walk, from its name to its item: stat, attributes, content, with retries and hard links.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>

#include <fmt/format.h>

#include "base/log.h"
#include "fs/timestamp_slack.h"
#include "ops/backup_error.h"
#include "ops/create_run.h"
#include "ops/holes.h"

namespace cairn::ops {
namespace {

constexpr int kTries = 10;
constexpr Nanoseconds kClockSlack = 20'000'000;  // file systems stamp times in coarse steps
constexpr std::uint64_t kLargestSmallFile = std::uint64_t{1} << 20U;
constexpr std::uint32_t kNoDump = 1;

int directory_fd(const Work& work) { return work.directory ? work.directory->fd.get() : AT_FDCWD; }

bool worth_retrying(const Error& error) {
  switch (error.os_error()) {
    case EPERM:
    case EACCES:
    case ETIMEDOUT:
    case ENOENT:  // gone; waiting does not bring it back
    case ENOTDIR:
    case ELOOP:
    case ENXIO:
      return false;
    default:
      return error.code() == Code::FileChanged || error.code() == Code::BackupRace || error.os_error() != 0;
  }
}

}  // namespace

void CreateRun::complete(std::uint64_t number, Outcome outcome, exec::Worker& worker) {
  ordered_.complete(number, std::move(outcome), worker);
}

void CreateRun::process(Work work, exec::Worker& worker) {
  for (int attempt = 0; attempt < kTries; ++attempt) {
    if (stop_.requested()) break;
    Outcome outcome;
    const bool last = attempt + 1 == kTries;
    const std::uint64_t number = work.number;
    auto step = try_object(work, worker, last, outcome);
    if (step) {
      if (*step == Step::Done) complete(number, std::move(outcome), worker);
      return;
    }
    if (!last && worth_retrying(step.error())) {
      const double seconds = 0.001 * std::pow(10.0, attempt / 2.0);
      system_clock().sleep(static_cast<Nanoseconds>(seconds * 1e9));
      log(Level::Warning, "borg.archive",
          fmt::format("{}, slept {:.3f}s, next: retry: {} of {}...", step.error().message(), seconds, attempt + 1,
                      kTries - 1));
      continue;
    }
    outcome = {};
    outcome.letter = 'E';
    outcome.shown = work.shown;
    outcome.warning.emplace(std::move(step).error());
    complete(number, std::move(outcome), worker);
    return;
  }
  complete(work.number, Outcome{}, worker);
}

Result<CreateRun::Step> CreateRun::try_object(Work& work, exec::Worker& worker, bool last_try, Outcome& outcome) {
  const auto stat = fs::stat_at(directory_fd(work), work.name, false, work.shown);
  if (!stat) return fail(backup_error(work.shown, "stat", stat.error()));
  if (skipped(*stat, work.stored)) return Step::Done;
  outcome.shown = work.shown;
  if (request_.dry_run) {
    if (!S_ISSOCK(stat->mode)) {
      outcome.letter = '+';
      outcome.is_file = stat->is_regular();
      outcome.content_size = stat->is_regular() ? stat->size : 0;
    }
    return Step::Done;
  }
  if (stat->is_regular()) return regular_file(work, worker, *stat, last_try, outcome);
  if (stat->is_directory()) {
    // Only a directory that was something else when its parent was read can come here.
    return fail(
        Code::BackupRace,
        fmt::format("{}: file type or inode changed while we backed it up (race condition, skipped file)", work.shown));
  }
  if (request_.read_special) {
    // A link to a FIFO or a device stands for it.
    fs::Stat behind = *stat;
    if (stat->is_symlink()) {
      if (const auto followed = fs::stat_at(directory_fd(work), work.name, true, work.shown)) behind = *followed;
    }
    const auto kind = behind.mode & S_IFMT;
    if (kind == S_IFIFO || kind == S_IFCHR || kind == S_IFBLK) return read_special(work, worker, behind);
  }
  return special_file(work, *stat, outcome);
}

fs::AttributeOptions CreateRun::attribute_options() const {
  return {
      .flags = request_.flags, .acls = request_.acls, .xattrs = request_.xattrs, .numeric_ids = request_.numeric_ids};
}

bool CreateRun::excluded_by_attribute(const fs::Attributes& attributes) const {
  if ((attributes.bsdflags & kNoDump) != 0) return true;
  return std::ranges::any_of(attributes.xattrs, [](const auto& xattr) {
    return xattr.first == "com.apple.metadata:com_apple_backup_excludeItem" ||
           (xattr.first == "user.xdg.robots.backup" && xattr.second == "false");
  });
}

archive::Item CreateRun::item_from(const fs::Stat& stat, const fs::Attributes& attributes,
                                   const std::string& stored) const {
  archive::Item item;
  item.path = stored;
  item.mode = stat.mode;
  item.mtime = archive::clamp_timestamp(stat.mtime);
  if (request_.atime) item.atime = archive::clamp_timestamp(stat.atime);
  if (request_.ctime) item.ctime = archive::clamp_timestamp(stat.ctime);
  item.uid = stat.uid;
  item.gid = stat.gid;
  if (!request_.numeric_ids) {
    if (const std::string& user = fs::user_name(stat.uid); !user.empty()) item.user = user;
    if (const std::string& group = fs::group_name(stat.gid); !group.empty()) item.group = group;
  }
  if (stat.inode > 0) item.inode = stat.inode;
  if (request_.flags) item.bsdflags = attributes.bsdflags;
  if (request_.xattrs) item.xattrs = attributes.xattrs;
  if (request_.acls && attributes.has_acl) {
    item.acl_access = attributes.acl_access;
    if (stat.is_directory()) item.acl_default = attributes.acl_default;
  }
  if (!stat.is_directory() && stat.links > 1) item.hlid = archive::hardlink_id(stat.inode, stat.device);
  return item;
}

Result<CreateRun::Step> CreateRun::special_file(Work& work, const fs::Stat& stat, Outcome& outcome) {
  char letter = 0;
  std::string target;
  switch (stat.mode & S_IFMT) {
    case S_IFLNK: {
      letter = 's';
      auto link = fs::read_link(directory_fd(work), work.name, work.shown);
      if (!link) return fail(backup_error(work.shown, "readlink", link.error()));
      target = std::move(*link);
      break;
    }
    case S_IFIFO:
      letter = 'f';
      break;
    case S_IFCHR:
      letter = 'c';
      break;
    case S_IFBLK:
      letter = 'b';
      break;
    case S_IFSOCK:
      return Step::Done;  // never stored, and not worth a word
    default:
      outcome.warning.emplace(Code::Backup, fmt::format("Unknown file type: {}", work.shown));
      return Step::Done;
  }
  auto attributes = fs::read_attributes(-1, directory_fd(work), work.name, stat, attribute_options(), work.shown);
  if (!attributes) return fail(backup_error(work.shown, "extended stat", attributes.error()));
  if (excluded_by_attribute(*attributes)) {
    outcome.letter = '-';
    return Step::Done;
  }
  archive::Item item = item_from(stat, *attributes, work.stored);
  if (letter == 's') item.target = std::move(target);
  if (letter == 'b' || letter == 'c') item.rdev = stat.rdev;
  archive::encode(item, outcome.item);
  outcome.letter = letter;
  if (stat.links > 1) {
    // The first name in walk order shows its type, later ones are links; the committer knows which is which.
    const std::lock_guard lock(links_mutex_);
    auto& group = links_[{stat.device, stat.inode}];
    if (!group) group = std::make_shared<LinkGroup>();
    outcome.group = group;
  }
  return Step::Done;
}

// Whether unread content of an earlier backup can be taken over.
std::optional<CachedFile> CreateRun::unchanged_file(const PathKey& key, const FileFacts& facts, char& letter) const {
  auto cached = files_cache_.find(key);
  letter = cached && !request_.files_cache.rechunk ? 'M' : 'A';  // nobody looks whether it has changed
  if (!cached || !FilesCache::unchanged(request_.files_cache, cached->facts, facts)) return std::nullopt;
  const bool all_known = std::ranges::all_of(
      cached->chunks, [this](const archive::ChunkRef& chunk) { return repository_.index().contains(chunk.id); });
  if (!all_known) return std::nullopt;
  letter = 'U';
  return cached;
}

// True if another name of the inode is read already (then `step` says how this one goes on); false if this one reads.
bool CreateRun::join_group(Work& work, exec::Worker& worker, const fs::Stat& stat, std::shared_ptr<LinkGroup>& group,
                           Outcome& outcome, Result<Step>& step) {
  {
    const std::lock_guard lock(links_mutex_);
    auto& slot = links_[{stat.device, stat.inode}];
    if (!slot) {
      slot = group = std::make_shared<LinkGroup>();
      return false;
    }
    group = slot;
  }
  Fd fd;
  if (request_.flags) {
    auto opened = fs::open_file(directory_fd(work), work.name, work.shown);
    if (!opened) {
      step = fail(backup_error(work.shown, "open", opened.error()));
      return true;
    }
    fd = std::move(*opened);
  }
  auto attributes = fs::read_attributes(fd.get(), directory_fd(work), work.name, stat, attribute_options(), work.shown);
  if (!attributes) {
    step = fail(backup_error(work.shown, "extended stat", attributes.error()));
    return true;
  }
  if (excluded_by_attribute(*attributes)) {
    outcome.letter = '-';
    step = Step::Done;
    return true;
  }
  auto item = std::make_shared<archive::Item>(item_from(stat, *attributes, work.stored));
  auto fill = [group, item](Outcome& out) {
    item->chunks = group->chunks;
    std::uint64_t size = 0;
    for (const auto& chunk : group->chunks) size += chunk.size;
    item->size = size;
    if (!group->digests.empty()) item->digests = group->digests;
    archive::encode(*item, out.item);
    out.letter = group->letter;
    out.is_file = true;
    out.content_size = size;
    out.group = group;
  };
  const std::lock_guard lock(group->mutex);
  if (group->state == LinkGroup::State::Done) {
    fill(outcome);
    step = Step::Done;
    return true;
  }
  group->waiting.emplace_back([this, work = std::move(work), fill](bool read, exec::Worker& on) mutable {
    if (!read) {
      pool_.submit(on, exec::Lane::Begin,
                   [this, again = std::move(work)](exec::Worker& next) mutable { process(std::move(again), next); });
      return;
    }
    Outcome out;
    out.shown = work.shown;
    fill(out);
    complete(work.number, std::move(out), on);
  });
  (void)worker;
  step = Step::Pending;
  return true;
}

void CreateRun::leave_group(const std::shared_ptr<LinkGroup>& group, const fs::Stat& stat, bool read,
                            exec::Worker& worker) {
  if (!group) return;
  if (!read) {
    const std::lock_guard lock(links_mutex_);
    links_.erase({stat.device, stat.inode});
  }
  std::vector<std::move_only_function<void(bool, exec::Worker&)>> waiting;
  {
    const std::lock_guard lock(group->mutex);
    if (read) group->state = LinkGroup::State::Done;
    waiting.swap(group->waiting);
  }
  for (auto& go_on : waiting) go_on(read, worker);
}

Result<CreateRun::Step> CreateRun::regular_file(Work& work, exec::Worker& worker, const fs::Stat& stat, bool last_try,
                                                Outcome& outcome) {
  std::shared_ptr<LinkGroup> group;
  if (stat.links > 1) {
    Result<Step> step = Step::Done;
    if (join_group(work, worker, stat, group, outcome, step)) return step;
  }
  std::optional<PathKey> key;
  char letter = 'A';
  // What a map says of the content takes the place of what the files cache knows.
  if (request_.files_cache.enabled && !mapped(work)) {
    const hash::Key256& secret = repository_.material().id_key;
    key = stat.links > 1 ? link_key(secret, archive::hardlink_id(stat.inode, stat.device))
                         : path_key(secret, work.stored);
    FileFacts facts{.inode = stat.inode, .size = stat.size, .ctime = stat.ctime, .mtime = stat.mtime, .bsdflags = 0};
    if (auto cached = unchanged_file(*key, facts, letter)) {
      // An equal ctime says that flags are equal too; otherwise they are asked for, which takes an open file.
      Fd fd;
      if (request_.flags && !request_.files_cache.by_ctime) {
        auto opened = fs::open_file(directory_fd(work), work.name, work.shown);
        if (!opened) {
          leave_group(group, stat, false, worker);
          return fail(backup_error(work.shown, "open", opened.error()));
        }
        fd = std::move(*opened);
      }
      auto attributes =
          fs::read_attributes(fd.get(), directory_fd(work), work.name, stat, attribute_options(), work.shown);
      if (!attributes) {
        leave_group(group, stat, false, worker);
        return fail(backup_error(work.shown, "extended stat", attributes.error()));
      }
      if (!fd) attributes->bsdflags = cached->facts.bsdflags;
      if (excluded_by_attribute(*attributes)) {
        leave_group(group, stat, false, worker);
        outcome.letter = '-';
        return Step::Done;
      }
      archive::Item item = item_from(stat, *attributes, work.stored);
      std::uint64_t size = 0;
      for (const auto& chunk : cached->chunks) size += chunk.size;
      item.size = size;
      item.chunks = cached->chunks;
      if (!cached->digests.empty() && !request_.digests.empty()) item.digests = cached->digests;
      archive::encode(item, outcome.item);
      outcome.letter = letter;
      outcome.is_file = true;
      outcome.content_size = size;
      outcome.group = group;
      // The time that was not looked at: unless it is the same too, a run of another mode must not rely on it.
      if (request_.files_cache.by_ctime) {
        if (cached->facts.mtime != facts.mtime) facts.mtime = 0;
      } else if (cached->facts.ctime != facts.ctime) {
        facts.ctime = 0;
      }
      cached->facts = facts;
      cached->facts.bsdflags = attributes->bsdflags;
      if (group) {
        group->chunks = *item.chunks;
        if (item.digests) group->digests = *item.digests;
        group->letter = letter;
      }
      outcome.remember.emplace(*key, std::move(*cached));
      leave_group(group, stat, true, worker);
      return Step::Done;
    }
  }
  auto step = read_file(work, worker, stat, last_try, letter, group, key, outcome);
  if (!step || (*step == Step::Done && outcome.item.empty())) leave_group(group, stat, false, worker);
  return step;
}

Result<std::vector<hash::Digest>> CreateRun::start_digests() const {
  std::vector<hash::Digest> digests;
  for (const std::string& name : request_.digests) {
    CAIRN_TRY(auto digest, hash::Digest::make(name));
    digests.push_back(std::move(digest));
  }
  return digests;
}

void CreateRun::take_content(Content& content, std::vector<hash::Digest>& digests, archive::Item& item,
                             Outcome& outcome) const {
  outcome.is_file = true;
  outcome.content_size = content.size();
  outcome.new_bytes = content.new_bytes();
  item.size = content.size();
  item.chunks = std::move(content.chunks());
  if (!digests.empty()) {
    item.digests.emplace();
    for (std::size_t i = 0; i < digests.size(); ++i) {
      item.digests->emplace_back(request_.digests[i], digests[i].finish());
    }
  }
  archive::encode(item, outcome.item);
}

Result<CreateRun::Step> CreateRun::read_file(Work& work, exec::Worker& worker, const fs::Stat& before, bool last_try,
                                             char letter, const std::shared_ptr<LinkGroup>& group,
                                             const std::optional<PathKey>& key, Outcome& outcome) {
  auto opened = fs::open_file(directory_fd(work), work.name, work.shown);
  if (!opened) return fail(backup_error(work.shown, "open", opened.error()));
  const Fd fd = std::move(*opened);
  auto now = fs::stat_of(fd.get(), work.shown);
  if (!now) return fail(backup_error(work.shown, "fstat", now.error()));
  fs::Stat stat = *now;
  // What is read is the file that was opened, under its own facts. Its number alone says little: some file systems make
  // another one up each time. With several links it says which file's content is shared.
  const bool other_inode = stat.inode != before.inode && (before.links > 1 || stat.links > 1);
  if ((stat.mode & S_IFMT) != (before.mode & S_IFMT) || other_inode) {
    return fail(
        Code::BackupRace,
        fmt::format("{}: file type or inode changed while we backed it up (race condition, skipped file)", work.shown));
  }
  stat.atime = std::min(stat.atime, before.atime);
  auto attributes = fs::read_attributes(fd.get(), directory_fd(work), work.name, stat, attribute_options(), work.shown);
  if (!attributes) return fail(backup_error(work.shown, "extended stat", attributes.error()));
  if (excluded_by_attribute(*attributes)) {
    outcome.letter = '-';
    return Step::Done;
  }

  const Nanoseconds started = system_clock().now();
  auto content = std::make_shared<Content>();
  CAIRN_TRY(auto digests, start_digests());
  if (failing_reads_) {
    if (auto status = failing_reads_->read(stat.size, work.shown); !status)
      return fail(backup_error(work.shown, "read", status.error()));
  }
  Scratch& scratch = scratch_(worker);
  bool read_whole = false;
  const std::uint64_t small = std::min<std::uint64_t>(cutter_->min_chunk(), kLargestSmallFile);
  if (mapped(work)) {
    read_whole = true;
    if (auto status = read_mapped(fd.get(), work.shown, stat.size, worker, content, digests); !status) {
      if (stop_.requested()) return Step::Done;
      return fail(backup_error(work.shown, "read", status.error()));
    }
  } else if (stat.size <= small) {
    // One chunk at most: read it whole; one byte more tells whether the file grew meanwhile.
    scratch.small.resize(static_cast<std::size_t>(small) + 1);
    std::size_t fill = 0;
    while (fill <= small) {
      const ssize_t count =
          ::pread(fd.get(), scratch.small.data() + fill, scratch.small.size() - fill, static_cast<off_t>(fill));
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return fail(backup_error(work.shown, "read", os_error(errno, work.shown)));
      if (count == 0) break;
      fill += static_cast<std::size_t>(count);
    }
    if (fill <= small) {
      read_whole = true;
      const Bytes bytes = scratch.small.view(0, fill);
      for (auto& digest : digests) digest.update(bytes);
      if (fill > 0) {
        if (auto status = store_single(worker, *content_, bytes, content); !status) {
          stop_.fail(std::move(status).error());
          return Step::Done;
        }
      }
    }
  }
  if (!read_whole) {
    FileSource source(fd.get(), work.shown, stat.size, asks_for_holes(stat, request_.sparse, started));
    if (auto status = read_content(worker, *content_, source, content, scratch.cutting, digests); !status) {
      if (stop_.requested()) return Step::Done;
      return fail(backup_error(work.shown, "read", status.error()));
    }
    (void)::posix_fadvise(fd.get(), 0, 0, POSIX_FADV_DONTNEED);  // leave the page cache to others
  }
  bool changed = false;
  if (request_.change_detection != ChangeDetection::Disabled) {
    auto after = fs::stat_of(fd.get(), work.shown);
    if (!after) return fail(backup_error(work.shown, "fstat2", after.error()));
    const bool by_ctime = request_.change_detection == ChangeDetection::Ctime;
    const Nanoseconds then = by_ctime ? stat.ctime : stat.mtime;
    const Nanoseconds later = by_ctime ? after->ctime : after->mtime;
    changed = later != then || (later > started - kClockSlack && later < system_clock().now() + kClockSlack);
    if (changed && !last_try) {
      return fail(Code::FileChanged, fmt::format("{}: file changed while we read it!: backup error", work.shown));
    }
  }

  const Nanoseconds stamp = request_.files_cache.by_ctime ? stat.ctime : stat.mtime;
  const bool settled = key && fs::is_settled(stamp, start_, fs::timestamp_slack(fd.get()));
  content->finish(
      [this, raw = content.get(), number = work.number, shown = work.shown, group, stat, changed, letter, key, stamp,
       settled, item = item_from(stat, *attributes, work.stored), flags = attributes->bsdflags,
       digests = std::move(digests)](exec::Worker& on) mutable {
        Outcome out;
        if (stop_.requested()) {
          leave_group(group, stat, false, on);
          complete(number, std::move(out), on);
          return;
        }
        out.shown = std::move(shown);
        out.letter = changed ? 'C' : letter;
        out.group = group;
        take_content(*raw, digests, item, out);
        if (changed) {
          out.warning.emplace(Code::FileChanged, fmt::format("{}: file changed while we backed it up.", out.shown));
        } else if (key) {
          out.newest = stamp;
          if (settled) {
            out.remember.emplace(*key,
                                 CachedFile{.facts = {.inode = stat.inode,
                                                      .size = stat.size,
                                                      .ctime = stat.ctime,
                                                      .mtime = stat.mtime,
                                                      .bsdflags = flags},
                                            .chunks = *item.chunks,
                                            .digests = item.digests.value_or(decltype(item.digests)::value_type{})});
          }
        }
        if (group) {
          group->chunks = *item.chunks;
          if (item.digests) group->digests = *item.digests;
          group->letter = out.letter;
        }
        leave_group(group, stat, true, on);
        complete(number, std::move(out), on);
      },
      worker);
  return Step::Pending;
}

}  // namespace cairn::ops
