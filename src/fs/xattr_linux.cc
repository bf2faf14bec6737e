#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

#include "fs/kernel.h"
#include "fs/xattr.h"

namespace cairn::fs {
namespace {

// What getxattrat and setxattrat take (linux/xattr.h since 6.13).
struct ValueArgument {
  alignas(8) std::uint64_t value;
  std::uint32_t size;
  std::uint32_t flags;
};

std::uint64_t address(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

// True if the newer call is there; otherwise its absence is remembered and the older way is to be taken.
bool is_offered(long result) {
  if (result >= 0) return true;
  if (errno == ENOSYS) {
    kernel().xattrat.store(false, std::memory_order_relaxed);
    return false;
  }
  return true;
}

}  // namespace

XattrAccess XattrAccess::of_handle(int handle, int directory, const std::string& name) {
  XattrAccess access(-1, directory, name);
  if (kernel().proc.load(std::memory_order_relaxed)) access.handle_ = handle;
  return access;
}

bool XattrAccess::wants_call_by_name() const {
  return fd_ < 0 && handle_ < 0 && kernel().xattrat.load(std::memory_order_relaxed);
}

XattrAccess::Path XattrAccess::path() {
  if (fd_ >= 0) return {};
  // This link of /proc leads to the very object, a symbolic link included, and no farther.
  if (handle_ >= 0) return {"/proc/self/fd/" + std::to_string(handle_), true};
  if (directory_ == AT_FDCWD || name_->starts_with('/')) return {*name_, false};
  if (kernel().proc.load(std::memory_order_relaxed)) {
    return {"/proc/self/fd/" + std::to_string(directory_) + "/" + *name_, false};
  }
  struct stat st{};
  if (::fstatat(directory_, name_->c_str(), &st, AT_SYMLINK_NOFOLLOW) != 0) return {};
  if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)) {
    errno = EOPNOTSUPP;
    return {};
  }
  opened_ = Fd(::openat(directory_, name_->c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (opened_) fd_ = opened_.get();
  return {};
}

ssize_t XattrAccess::list(char* to, std::size_t room) {
  ssize_t size = -1;
  if (wants_call_by_name()) {
    size = ::syscall(kListxattrat, directory_, name_->c_str(), AT_SYMLINK_NOFOLLOW, to, room);
    if (is_offered(size)) return size < 0 ? -errno : size;
  }
  const Path way = path();
  if (!way.text.empty()) {
    size = (way.follow ? ::listxattr : ::llistxattr)(way.text.c_str(), to, room);
  } else if (fd_ >= 0) {
    size = ::flistxattr(fd_, to, room);
  }
  return size < 0 ? -errno : size;
}

ssize_t XattrAccess::get(const char* attribute, char* to, std::size_t room) {
  ssize_t size = -1;
  if (wants_call_by_name()) {
    ValueArgument argument{address(to), static_cast<std::uint32_t>(room), 0};
    size =
        ::syscall(kGetxattrat, directory_, name_->c_str(), AT_SYMLINK_NOFOLLOW, attribute, &argument, sizeof argument);
    if (is_offered(size)) return size < 0 ? -errno : size;
  }
  const Path way = path();
  if (!way.text.empty()) {
    size = (way.follow ? ::getxattr : ::lgetxattr)(way.text.c_str(), attribute, to, room);
  } else if (fd_ >= 0) {
    size = ::fgetxattr(fd_, attribute, to, room);
  }
  return size < 0 ? -errno : size;
}

int XattrAccess::set(const char* attribute, Bytes value) {
  long result = -1;
  if (wants_call_by_name()) {
    ValueArgument argument{address(value.data()), static_cast<std::uint32_t>(value.size()), 0};
    result =
        ::syscall(kSetxattrat, directory_, name_->c_str(), AT_SYMLINK_NOFOLLOW, attribute, &argument, sizeof argument);
    if (is_offered(result)) return result < 0 ? -errno : 0;
  }
  const Path way = path();
  if (!way.text.empty()) {
    result = (way.follow ? ::setxattr : ::lsetxattr)(way.text.c_str(), attribute, value.data(), value.size(), 0);
  } else if (fd_ >= 0) {
    result = ::fsetxattr(fd_, attribute, value.data(), value.size(), 0);
  }
  return result < 0 ? -errno : 0;
}

int XattrAccess::remove(const char* attribute) {
  long result = -1;
  if (wants_call_by_name()) {
    result = ::syscall(kRemovexattrat, directory_, name_->c_str(), AT_SYMLINK_NOFOLLOW, attribute);
    if (is_offered(result)) return result < 0 ? -errno : 0;
  }
  const Path way = path();
  if (!way.text.empty()) {
    result = (way.follow ? ::removexattr : ::lremovexattr)(way.text.c_str(), attribute);
  } else if (fd_ >= 0) {
    result = ::fremovexattr(fd_, attribute);
  }
  return result < 0 ? -errno : 0;
}

namespace {

// The kernel allocates as much as we offer, so a small buffer comes first; most lists and values fit into it.
constexpr std::size_t kFirstRoom = 512;

template <class Call>
int into_string(std::string& to, Call call) {
  char first[kFirstRoom];
  ssize_t size = call(first, sizeof first);
  if (size >= 0) {
    to.assign(first, static_cast<std::size_t>(size));
    return 0;
  }
  // It may grow between two calls: double until it fits.
  constexpr std::size_t kLimit = 64U << 20U;
  for (std::size_t room = 16 * kFirstRoom; size == -ERANGE && room <= kLimit; room *= 4) {
    to.resize(room);
    size = call(to.data(), room);
    // Linux itself never hands out more than 64 KiB and says E2BIG if that is not enough.
    if (size >= 0) {
      to.resize(static_cast<std::size_t>(size));
      return 0;
    }
  }
  to.clear();
  return static_cast<int>(size);
}

}  // namespace

int XattrAccess::list(std::string& to) {
  return into_string(to, [this](char* at, std::size_t room) { return list(at, room); });
}

int XattrAccess::get(const char* attribute, std::string& to) {
  return into_string(to, [&](char* at, std::size_t room) { return get(attribute, at, room); });
}

}  // namespace cairn::fs
