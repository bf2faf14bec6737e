// A directory is opened from the root for each step, without following links, so that no depth needs more than a few
// descriptors and nothing that others move or exchange meanwhile leads out of the tree. What is opened must be of the
// root's own mount: that is asked of the open directory, not of its name.
#include "fs/removal.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include <fmt/format.h>

#include "fs/beneath.h"
#include "fs/change_mode.h"
#include "fs/kernel.h"
#include "fs/node.h"

namespace cairn::fs {
namespace {

// What tells mounts apart: the mount's number, of kernels before 5.8 the device's.
struct MountId {
  std::uint64_t number = 0;
  bool is_device = true;
  bool operator==(const MountId&) const = default;
};

MountId mount_of(int fd) {
#ifdef STATX_MNT_ID
  if (kernel().statx.load(std::memory_order_relaxed)) {
    struct statx facts{};
    if (::statx(fd, "", AT_EMPTY_PATH, STATX_MNT_ID, &facts) == 0 && (facts.stx_mask & STATX_MNT_ID) != 0) {
      return {facts.stx_mnt_id, false};
    }
  }
#endif
  struct stat st{};
  return {::fstat(fd, &st) == 0 ? st.st_dev : 0, true};
}

class Removal {
 public:
  Removal(int root, bool dry_run, RemovalObserver& observer)
      : root_(root), mount_(mount_of(root)), dry_run_(dry_run), observer_(observer) {}

  void run() {
    pending_.push_back({});
    while (!pending_.empty() && !observer_.stopping()) {
      if (!pending_.back().entered) {
        pending_.back().entered = true;
        enter(pending_.size() - 1);
      } else {
        const Directory done = std::move(pending_.back());
        pending_.pop_back();
        leave(done);
      }
    }
    // Stopped in the middle: what stays gets its mode back.
    for (const Directory& directory : pending_) give_mode_back(directory);
  }

 private:
  struct Directory {
    std::string path{};  // empty: the root
    std::size_t parent = 0;
    bool doomed = false;
    bool entered = false;
    bool keeps_something = false;  // of what was to go, which has been said
    std::optional<std::uint32_t> mode_before{};
  };

  Fd open(const std::string& path) const {
    Fd fd = open_beneath(root_, path, false);
    if (fd && mount_of(fd.get()) != mount_) {
      errno = EXDEV;
      return {};
    }
    return fd;
  }

  void left(std::size_t at, const std::string& path, const Error& why) {
    pending_[at].keeps_something = true;
    observer_.left(path, why);
  }

  // Not for dry runs, which change no mode either.
  bool grant(std::size_t at, int directory) {
    if (dry_run_ || pending_[at].mode_before) return false;
    pending_[at].mode_before = give_owner_access(directory);
    return pending_[at].mode_before.has_value();
  }

  void enter(std::size_t at) {
    const std::string path = pending_[at].path;
    const Fd directory = open(path);
    if (!directory) {
      if (errno == ENOENT) return;
      const int error = errno;
      left(at, path,
           error == EXDEV ? Error(Code::Backup, fmt::format("{}: is a mount point, nothing in it is deleted", path))
                          : os_error(error, path));
      return;
    }
    auto open_to_read = [&] { return Fd(::openat(directory.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)); };
    Fd readable = open_to_read();
    if (!readable && errno == EACCES && grant(at, directory.get())) readable = open_to_read();
    if (!readable) return left(at, path, os_error(errno, path));
    const auto entries = read_directory(readable.get(), path);
    if (!entries) return left(at, path, entries.error());
    for (const DirEntry& entry : *entries) {
      if (observer_.stopping()) return;
      judge(at, directory.get(), path.empty() ? entry.name : path + '/' + entry.name, entry.name);
    }
  }

  void judge(std::size_t at, int directory, std::string path, const std::string& name) {
    struct stat st{};
    auto look = [&] { return ::fstatat(directory, name.c_str(), &st, AT_SYMLINK_NOFOLLOW) == 0 ? 0 : errno; };
    int error = look();
    if (error == EACCES && grant(at, directory)) error = look();
    if (error == ENOENT) return;
    if (error != 0) return left(at, path, os_error(error, path));
    const Wanted wanted = pending_[at].doomed ? Wanted::Nothing : observer_.wanted(path);
    if (S_ISDIR(st.st_mode)) {
      pending_.push_back({.path = std::move(path), .parent = at, .doomed = wanted != Wanted::Directory});
    } else if (wanted == Wanted::Nothing) {
      remove(at, directory, path, name, 0);
    }
  }

  void remove(std::size_t at, int directory, const std::string& path, const std::string& name, int flags) {
    if (dry_run_) return observer_.removed(path);
    auto unlink = [&] { return ::unlinkat(directory, name.c_str(), flags) == 0 ? 0 : errno; };
    int error = unlink();
    if (error == EACCES && grant(at, directory)) error = unlink();
    if (error == 0) return observer_.removed(path);
    if (error != ENOENT) left(at, path, os_error(error, path));
  }

  void leave(const Directory& done) {
    if (done.doomed && !done.keeps_something) {
      const std::size_t slash = done.path.rfind('/');
      const Fd parent = open(slash == std::string::npos ? std::string() : done.path.substr(0, slash));
      const std::string name = done.path.substr(slash == std::string::npos ? 0 : slash + 1);
      if (parent) return remove(done.parent, parent.get(), done.path, name, AT_REMOVEDIR);
      if (errno != ENOENT) left(done.parent, done.path, os_error(errno, done.path));
      return;
    }
    // A directory that is to go stays for what is in it: so do its parents.
    if (done.doomed) pending_[done.parent].keeps_something = true;
    give_mode_back(done);
  }

  void give_mode_back(const Directory& directory) const {
    if (!directory.mode_before) return;
    const Fd fd = open(directory.path);
    if (fd) static_cast<void>(change_mode(fd.get(), *directory.mode_before));
  }

  const int root_;
  const MountId mount_;
  const bool dry_run_;
  RemovalObserver& observer_;
  std::vector<Directory> pending_;  // a directory lies below its children
};

}  // namespace

void remove_unwanted_below(int root, bool dry_run, RemovalObserver& observer) {
  Removal(root, dry_run, observer).run();
}

}  // namespace cairn::fs
