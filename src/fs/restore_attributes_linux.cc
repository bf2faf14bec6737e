// Order of docs/format (archive, section 9.6): owner, mode, ACL, extended attributes, times, flags. The owner comes
// first because changing it clears set-ID bits and capabilities; flags come last because an immutable object takes
// nothing more.
//
// An object without a descriptor is opened here: directories and files for reading if they let us, everything else (and
// what we may not read) as O_PATH, whose calls go through AT_EMPTY_PATH, fchmodat2 or /proc/self/fd. Going back to the
// name would act on whatever someone has put there meanwhile.
#include "fs/restore_attributes.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include <fmt/format.h>

#include "base/log.h"
#include "fs/acl_text.h"
#include "fs/change_mode.h"
#include "fs/flags.h"
#include "fs/kernel.h"
#include "fs/xattr.h"

namespace cairn::fs {
namespace {

constexpr const char* kLogger = "borg.archive";

std::string proc_path(int fd) { return "/proc/self/fd/" + std::to_string(fd); }

bool is_unsupported(int error) { return error == ENOTSUP || error == EOPNOTSUPP; }

timespec to_timespec(Nanoseconds time) {
  Nanoseconds seconds = time / kSecond;
  Nanoseconds fraction = time % kSecond;
  if (fraction < 0) {  // the fraction counts upward before 1970 too
    fraction += kSecond;
    --seconds;
  }
  return {.tv_sec = seconds, .tv_nsec = fraction};
}

class Restorer {
 public:
  Restorer(int fd, int directory, const std::string& name, const RestoreAttributes& wanted, const std::string& path)
      : fd_(fd), directory_(directory), name_(name), wanted_(wanted), path_(path) {}

  Result<bool> run() {
    if (fd_ < 0) CAIRN_CHECKED(open());
    restore_owner();
    if (!S_ISLNK(wanted_.mode)) remember(change_mode(mode_));
    if (wanted_.extra != nullptr) {
      if (wanted_.set_acls) restore_acls();
      if (wanted_.set_xattrs) restore_xattrs();
    }
    if (wanted_.set_times) restore_times();
    if (wanted_.extra != nullptr && wanted_.set_flags) restore_flags();
    if (first_error_ != 0) return fail(os_error(first_error_, path_));
    return all_set_;
  }

 private:
  // Sets fd_ or handle_.
  Status open() {
    const bool is_directory = S_ISDIR(wanted_.mode);
    if (is_directory || S_ISREG(wanted_.mode)) {
      const int flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW | O_CLOEXEC | (is_directory ? O_DIRECTORY : 0);
      opened_ = Fd(::openat(directory_, name_.c_str(), flags));
      fd_ = opened_.get();
    }
    if (!opened_) {
      opened_ = Fd(::openat(directory_, name_.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
      if (!opened_) return fail(os_error(errno, path_));
      handle_ = opened_.get();
    }
    struct stat st{};
    if (::fstat(opened_.get(), &st) != 0) return fail(os_error(errno, path_));
    if ((st.st_mode & S_IFMT) != (wanted_.mode & S_IFMT)) {
      return fail(Code::Backup, fmt::format("{}: attributes not set, something else has taken its place", path_));
    }
    return {};
  }

  // Errors of single steps do not keep the others from being done; the first one is reported.
  void remember(int error) {
    if (error != 0 && first_error_ == 0) first_error_ = error;
  }

  void warn(const std::string& message) {
    log(Level::Warning, kLogger, message);
    all_set_ = false;
  }

  void restore_owner() {
    const auto uid = static_cast<uid_t>(wanted_.uid);
    const auto gid = static_cast<gid_t>(wanted_.gid);
    bool done = true;
    if (wanted_.uid >= 0 || wanted_.gid >= 0) {
      done = ::fchownat(any_fd(), "", uid, gid, AT_EMPTY_PATH) == 0;
    }
    mode_ = wanted_.mode & 07777U;
    if ((mode_ & (S_ISUID | S_ISGID)) == 0 || (done && wanted_.uid >= 0 && wanted_.gid >= 0)) return;
    // A program that was set-user-ID to someone else must not become set-user-ID to us.
    struct stat st{};
    const bool known = ::fstat(any_fd(), &st) == 0;
    const std::uint32_t before = mode_;
    if (!known || wanted_.uid < 0 || st.st_uid != uid) mode_ &= ~std::uint32_t{S_ISUID};
    if (!known || wanted_.gid < 0 || st.st_gid != gid) mode_ &= ~std::uint32_t{S_ISGID};
    if (mode_ == before || S_ISLNK(wanted_.mode)) return;
    warn(fmt::format(
        "{}: owner not restored, so set-user-ID or set-group-ID is left off (mode {:04o} instead of {:04o})", path_,
        mode_, before));
  }

  int change_mode(std::uint32_t mode) {
    if (fd_ >= 0) return ::fchmod(fd_, mode) == 0 ? 0 : errno;
    return fs::change_mode(handle_, mode);
  }

  XattrAccess xattr_access() const {
    return fd_ >= 0 ? XattrAccess(fd_, directory_, name_) : XattrAccess::of_handle(handle_, directory_, name_);
  }

  void restore_acl(const char* attribute, const std::string& text) {
    const auto binary = acl_from_text(text, wanted_.numeric_ids);
    if (!binary) return remember(EINVAL);
    const int error = -xattr_access().set(attribute, bytes_of(*binary));
    if (!is_unsupported(error)) remember(error);
  }

  void restore_acls() {
    if (S_ISLNK(wanted_.mode)) return;
    if (!wanted_.extra->has_acl) {
      // What the object inherited from a default ACL of the place is not what was archived; the target itself is the
      // user's.
      if (path_ == ".") return;
      (void)xattr_access().remove(kAclAccessName);
      if (S_ISDIR(wanted_.mode)) (void)xattr_access().remove(kAclDefaultName);
      return;
    }
    if (!wanted_.extra->acl_access.empty()) restore_acl(kAclAccessName, wanted_.extra->acl_access);
    if (!S_ISDIR(wanted_.mode)) return;
    if (!wanted_.extra->acl_default.empty()) {
      restore_acl(kAclDefaultName, wanted_.extra->acl_default);
    } else if (wanted_.exact) {
      (void)xattr_access().remove(kAclDefaultName);
    }
  }

  // What the object had before and the archive does not know. Labels that the system gives are not ours to take.
  void remove_other_xattrs(XattrAccess& access) {
    std::string names;
    if (access.list(names) != 0) return;
    for (std::size_t at = 0; at < names.size();) {
      const std::string_view name = names.c_str() + at;  // each ends with NUL
      at += name.size() + 1;
      const bool ours =
          name.starts_with("user.") || name.starts_with("trusted.") || name == std::string_view("security.capability");
      const bool known = std::ranges::any_of(wanted_.extra->xattrs, [&](const auto& one) { return one.first == name; });
      if (!ours || known) continue;
      if (const int error = -access.remove(name.data()); error != 0) {
        warn(fmt::format("When removing extended attribute {}: {}", name, os_error(error, path_).message()));
      }
    }
  }

  void restore_xattrs() {
    XattrAccess access = xattr_access();
    if (wanted_.exact) remove_other_xattrs(access);
    bool lifted = false;
    for (const auto& [name, value] : wanted_.extra->xattrs) {
      // The ACLs of old or foreign archives would undo those that were set above; a NUL would name another attribute.
      if (name.starts_with("system.posix_acl_")) continue;
      int error = name.find('\0') == std::string::npos ? -access.set(name.c_str(), bytes_of(value)) : EINVAL;
      if (error == EACCES && !lifted && (mode_ & S_IWUSR) == 0 && !S_ISLNK(wanted_.mode)) {
        // Attributes of the user namespace need the right to write, which the final mode does not give its owner.
        lifted = change_mode((mode_ & 0777U) | S_IWUSR) == 0;
        if (lifted) error = -access.set(name.c_str(), bytes_of(value));
      }
      if (error != 0) warn(xattr_message(name, value.size(), error));
    }
    if (lifted) remember(change_mode(mode_));
  }

  std::string xattr_message(const std::string& name, std::size_t size, int error) const {
    const std::string text = os_error(error, path_).message();
    std::string reason = text;
    if (error == E2BIG) reason = fmt::format("too big for this filesystem ({})", text);
    if (error == ENOSPC) reason = fmt::format("fs full or xattr too big? [xattr len = {}] ({})", size, text);
    return fmt::format("When setting extended attribute {}: {}", name, reason);
  }

  // Failures are ignored, as Borg does: some file systems have no times to set.
  void restore_times() const {
    const std::array<timespec, 2> times{to_timespec(wanted_.atime.value_or(wanted_.mtime)), to_timespec(wanted_.mtime)};
    if (fd_ >= 0) {
      static_cast<void>(::futimens(fd_, times.data()));
      return;
    }
    if (::utimensat(handle_, "", times.data(), AT_EMPTY_PATH) == 0 || errno != EINVAL) return;
    // Before Linux 5.8.
    if (kernel().proc.load(std::memory_order_relaxed)) {
      static_cast<void>(::utimensat(AT_FDCWD, proc_path(handle_).c_str(), times.data(), 0));
    } else {
      static_cast<void>(::utimensat(directory_, name_.c_str(), times.data(), AT_SYMLINK_NOFOLLOW));
    }
  }

  void restore_flags() {
    if (fd_ < 0 || (!S_ISREG(wanted_.mode) && !S_ISDIR(wanted_.mode))) return;
    const int error = set_bsdflags(fd_, wanted_.extra->bsdflags);
    if (error != 0) warn(fmt::format("{}: when setting file flags: {}", path_, os_error(error, {}).message()));
  }

  int any_fd() const { return fd_ >= 0 ? fd_ : handle_; }

  int fd_;           // usable for everything, or -1
  int handle_ = -1;  // O_PATH, where fd_ is -1
  Fd opened_;        // owns whichever of the two was opened here
  const int directory_;
  const std::string& name_;
  const RestoreAttributes& wanted_;
  const std::string& path_;
  std::uint32_t mode_ = 0;
  int first_error_ = 0;
  bool all_set_ = true;
};

}  // namespace

Result<bool> restore_attributes(int fd, int directory, const std::string& name, const RestoreAttributes& attributes,
                                const std::string& path) {
  return Restorer(fd, directory, name, attributes, path).run();
}

}  // namespace cairn::fs
