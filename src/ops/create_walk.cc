// Walking the trees: which objects there are, in which order, and which of them are wanted.
//
// One thread walks. It opens directories, reads and sorts their entries, and decides by patterns, devices and tags;
// files go to the workers in batches. An explicit stack instead of recursion: depth is bounded by memory and file
// descriptors only.
#include <fcntl.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include <dirent.h>
#include <fmt/format.h>

#include "base/log.h"
#include "base/normalized_path.h"
#include "ops/backup_error.h"
#include "ops/create_run.h"

namespace cairn::ops {
namespace {

constexpr std::size_t kBatch = 64;
constexpr std::string_view kCacheTag = "CACHEDIR.TAG";
constexpr std::string_view kCacheSignature = "Signature: 8a477f597d28d172789f06886806bc55";

std::string_view without_leading_slash(std::string_view path) {
  while (path.starts_with('/')) path.remove_prefix(1);
  return path;
}

// What the archive calls the path that the user gave as `text`: "/a/./b" is "b"; no leading "/" and no leading "../".
std::string stored_path(const std::string& text, std::string_view path) {
  if (const auto marker = text.find("/./"); marker != std::string::npos && marker > 0) {
    const std::string prefix = normalized_path(std::string_view(text).substr(0, marker));
    if (path == prefix) return ".";
    if (prefix != "/" && path.starts_with(prefix + "/")) path.remove_prefix(prefix.size() + 1);
  }
  while (true) {
    if (path.starts_with('/')) {
      path.remove_prefix(1);
    } else if (path.starts_with("../")) {
      path.remove_prefix(3);
    } else {
      break;
    }
  }
  return path.empty() || path == ".." ? "." : std::string(path);
}

}  // namespace

// One open directory on the stack.
struct CreateRun::Walk {
  struct Frame {
    std::shared_ptr<const Directory> directory;
    std::vector<fs::DirEntry> entries;
    std::size_t next = 0;
    bool listed = false;  // the directory is in the archive: its line comes after its children
  };
  std::vector<Frame> stack;
  std::uint64_t device = 0;  // of the root
};

// A finished root is left out where it would be stored a second time: under its name, or, if a symbolic link led to the
// folder, wherever it is met. A hard link to a file that was a root is another name, which is not in the archive yet.
bool CreateRun::skipped(const fs::Stat& stat, const std::string& stored) const {
  const DeviceInode node{stat.device, stat.inode};
  if (std::ranges::find(skip_, node) != skip_.end()) return true;
  return std::ranges::any_of(finished_roots_, [&](const auto& root) {
    return root.node == node && (root.stored == stored || (root.followed && stat.is_directory()));
  });
}

void CreateRun::put(Outcome outcome) {
  // A full window is waited for with nothing of ours held back, or nobody could make room.
  if (ordered_.open() + 1 >= kWindow) flush_batch();
  const std::uint64_t number = ordered_.reserve(main_);
  ordered_.complete(number, std::move(outcome), main_);
}

void CreateRun::excluded(const std::string& shown) {
  if (!request_.want_status) return;
  Outcome outcome;
  outcome.letter = '-';
  outcome.shown = shown;
  put(std::move(outcome));
}

void CreateRun::warn(Error error, const std::string& shown, bool with_letter) {
  Outcome outcome;
  if (with_letter) outcome.letter = 'E';
  outcome.shown = shown;
  outcome.warning.emplace(std::move(error));
  put(std::move(outcome));
}

void CreateRun::submit(Work work) {
  if (ordered_.open() + 1 >= kWindow) flush_batch();
  work.number = ordered_.reserve(main_);
  batch_.push_back(std::move(work));
  if (batch_.size() >= kBatch) flush_batch();
}

void CreateRun::flush_batch() {
  if (batch_.empty()) return;
  pool_.submit(main_, exec::Lane::Begin, [this, batch = std::exchange(batch_, {})](exec::Worker& worker) mutable {
    for (Work& work : batch) process(std::move(work), worker);
  });
}

void CreateRun::walk_roots() {
  std::vector<std::string> roots = request_.matcher->roots();
  roots.insert(roots.end(), request_.roots.begin(), request_.roots.end());
  for (const std::string& root : roots) {
    if (stop_.requested()) return;
    if (root == "-") {
      standard_input();
    } else {
      walk_root(root);
    }
  }
  flush_batch();
}

void CreateRun::walk_root(const std::string& text) {
  const std::string path = normalized_path(text);
  const std::string stored = stored_path(text, path);

  auto stat = fs::stat_at(AT_FDCWD, path, false, path);
  bool follow = false;
  if (stat && stat->is_symlink()) {
    follow = true;
    stat = fs::stat_at(AT_FDCWD, path, true, path);
    if (!stat && stat.error().os_error() == ENOENT) {
      warn(Error(Code::BackupBrokenSymlink, fmt::format("{}: stat: broken symlink, skipping it", path)), path, false);
      return;
    }
  }
  if (!stat) {
    warn(backup_error(path, "stat", stat.error()), path, false);
    return;
  }
  const match::Decision decision = request_.matcher->match(without_leading_slash(path));
  if (!decision.include) {
    excluded(path);
    if (!decision.recurse) return;
  }
  if (skipped(*stat, stored)) return;
  if (!stat->is_directory()) {
    // A root that is a symbolic link stands for what it points to; below, no link is ever followed.
    std::string name = path;
    if (follow) {
      std::error_code error;
      name = std::filesystem::canonical(path, error).string();
      if (error) {
        warn(backup_error(path, "stat", os_error(error.value(), path)), path, false);
        return;
      }
    }
    if (decision.include)
      submit({.number = 0, .directory = nullptr, .name = std::move(name), .shown = path, .stored = stored});
  } else {
    auto fd = fs::open_path_directory(path, follow, path);
    if (!fd) {
      warn(backup_error(path, "dir_open", fd.error()), path, true);
      return;
    }
    auto directory = std::make_shared<Directory>();
    directory->fd = std::move(*fd);
    directory->shown = path;
    directory->stored = stored;
    walk_tree(std::move(directory), *stat, decision.include);
  }
  // A root given twice, or a directory around it, does not store it again. Its own workers must be through first.
  flush_batch();
  pool_.drain();
  finished_roots_.push_back({{stat->device, stat->inode}, stored, follow});
}

bool CreateRun::is_tagged(const Directory& directory, std::vector<std::string>& tags) const {
  if (request_.exclude_caches) {
    const Fd fd(::openat(directory.fd.get(), kCacheTag.data(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    std::array<char, kCacheSignature.size()> head;
    if (fd && ::read(fd.get(), head.data(), head.size()) == static_cast<ssize_t>(head.size()) &&
        std::string_view(head.data(), head.size()) == kCacheSignature) {
      tags.emplace_back(kCacheTag);
    }
  }
  for (const std::string& name : request_.exclude_if_present) {
    if (::faccessat(directory.fd.get(), name.c_str(), F_OK, 0) == 0) tags.push_back(name);
  }
  return !tags.empty();
}

void CreateRun::store_directory(const Directory& directory, const fs::Stat& stat, const fs::Attributes& attributes) {
  if (request_.dry_run) return;
  Outcome outcome;
  outcome.shown = directory.shown;
  archive::encode(item_from(stat, attributes, directory.stored), outcome.item);
  put(std::move(outcome));
}

void CreateRun::walk_tree(std::shared_ptr<const Directory> root, const fs::Stat& root_stat, bool root_included) {
  Walk walk;
  walk.device = root_stat.device;
  auto enter = [&](std::shared_ptr<const Directory> directory, const fs::Stat& before, bool included) {
    const std::string& shown = directory->shown;
    auto stat = fs::stat_of(directory->fd.get(), shown);
    if (!stat) return warn(backup_error(shown, "fstat", stat.error()), shown, true);
    if (stat->inode != before.inode || !stat->is_directory()) {
      return warn(Error(Code::BackupRace, fmt::format("{}: file type or inode changed while we backed it up (race "
                                                      "condition, skipped file)",
                                                      shown)),
                  shown, true);
    }
    stat->atime = std::min(stat->atime, before.atime);
    const bool recurse = !request_.one_file_system || stat->device == walk.device;
    fs::Attributes attributes;
    if (included) {
      auto read = fs::read_attributes(directory->fd.get(), AT_FDCWD, shown, *stat, attribute_options(), shown);
      if (!read) return warn(backup_error(shown, "extended stat", read.error()), shown, true);
      attributes = std::move(*read);
      if (excluded_by_attribute(attributes)) return excluded(shown);
      std::vector<std::string> tags;
      if (recurse && is_tagged(*directory, tags)) {
        excluded(shown);
        if (!request_.keep_exclude_tags) return;
        store_directory(*directory, *stat, attributes);
        // Only the tag objects are kept; a tag that is a directory is kept with its content.
        Walk::Frame frame{.directory = directory, .entries = {}, .next = 0, .listed = false};
        for (const std::string& tag : tags) frame.entries.push_back({.name = tag, .inode = 0, .type = DT_UNKNOWN});
        walk.stack.push_back(std::move(frame));
        return;
      }
      store_directory(*directory, *stat, attributes);
    }
    Walk::Frame frame{.directory = directory, .entries = {}, .next = 0, .listed = included};
    if (recurse) {
      auto entries = fs::read_directory(directory->fd.get(), shown);
      if (!entries) {
        warn(backup_error(shown, "scandir", entries.error()), shown, true);
        frame.listed = false;
      } else {
        frame.entries = std::move(*entries);
      }
    }
    walk.stack.push_back(std::move(frame));
  };

  enter(std::move(root), root_stat, root_included);
  while (!walk.stack.empty() && !stop_.requested()) {
    Walk::Frame& frame = walk.stack.back();
    if (frame.next == frame.entries.size()) {
      if (frame.listed) {
        Outcome outcome;
        outcome.letter = request_.dry_run ? '+' : 'd';
        outcome.shown = frame.directory->shown;
        put(std::move(outcome));
      }
      walk.stack.pop_back();
      continue;
    }
    const fs::DirEntry& entry = frame.entries[frame.next++];
    const std::shared_ptr<const Directory> parent = frame.directory;
    std::string shown = parent->shown_child(entry.name);
    const match::Decision decision = request_.matcher->match(without_leading_slash(shown));
    if (!decision.include) {
      excluded(shown);
      if (!decision.recurse) continue;
      if (entry.type != DT_DIR && entry.type != DT_UNKNOWN) continue;
    }
    std::string stored = parent->stored_child(entry.name);
    if (entry.type != DT_DIR && entry.type != DT_UNKNOWN) {
      submit({.number = 0,
              .directory = parent,
              .name = entry.name,
              .shown = std::move(shown),
              .stored = std::move(stored)});
      continue;
    }
    auto stat = fs::stat_at(parent->fd.get(), entry.name, false, shown);
    if (!stat) {
      if (decision.include) warn(backup_error(shown, "stat", stat.error()), shown, true);
      continue;
    }
    if (skipped(*stat, stored)) continue;
    if (!stat->is_directory()) {
      if (decision.include) {
        submit({.number = 0,
                .directory = parent,
                .name = entry.name,
                .shown = std::move(shown),
                .stored = std::move(stored)});
      }
      continue;
    }
    auto fd = fs::open_directory(parent->fd.get(), entry.name, shown);
    if (!fd) {
      warn(backup_error(shown, "dir_open", fd.error()), shown, true);
      continue;
    }
    auto directory = std::make_shared<Directory>();
    directory->fd = std::move(*fd);
    directory->shown = std::move(shown);
    directory->stored = std::move(stored);
    enter(std::move(directory), *stat, decision.include);  // `frame` and `entry` are not valid any more
  }
}

// --paths-from-*: each object by itself, without recursion, patterns or following links.
void CreateRun::read_listed_paths() {
  while (!stop_.requested()) {
    auto next = request_.next_path();
    if (!next) {
      stop_.fail(std::move(next).error());
      break;
    }
    if (!*next) break;
    const std::string& text = **next;
    if (text.empty()) continue;
    const std::string path = normalized_path(text);
    const std::string stored = stored_path(text, path);
    auto stat = fs::stat_at(AT_FDCWD, path, false, path);
    if (!stat) {
      warn(backup_error(path, "stat", stat.error()), path, true);
      continue;
    }
    if (skipped(*stat, stored)) continue;
    if (!stat->is_directory()) {
      submit({.number = 0, .directory = nullptr, .name = path, .shown = path, .stored = stored});
      continue;
    }
    auto fd = fs::open_path_directory(path, false, path);
    if (!fd) {
      warn(backup_error(path, "dir_open", fd.error()), path, true);
      continue;
    }
    Directory directory{.fd = std::move(*fd), .shown = path, .stored = stored};
    auto attributes = fs::read_attributes(directory.fd.get(), AT_FDCWD, path, *stat, attribute_options(), path);
    if (!attributes) {
      warn(backup_error(path, "extended stat", attributes.error()), path, true);
      continue;
    }
    if (excluded_by_attribute(*attributes)) {
      excluded(path);
      continue;
    }
    store_directory(directory, *stat, *attributes);
    Outcome line;
    line.letter = request_.dry_run ? '+' : 'd';
    line.shown = path;
    put(std::move(line));
  }
  flush_batch();
}

}  // namespace cairn::ops
