#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <string>

#include "fs/beneath.h"
#include "fs/kernel.h"

namespace cairn::fs {
namespace {

// O_PATH needs no right to read, only to pass.
constexpr int kFlags = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

Fd open_component(int base, const std::string& name, bool create) {
  Fd next(::openat(base, name.c_str(), kFlags));
  if (next || errno != ENOENT || !create) return next;
  // Another thread may make the same parent just now.
  if (::mkdirat(base, name.c_str(), 0777) != 0 && errno != EEXIST) return {};
  return Fd(::openat(base, name.c_str(), kFlags));
}

// The fallback, and the way that creates.
Fd walk_components(int base, std::string_view path, bool create) {
  Fd current;
  while (!path.empty()) {
    const std::size_t slash = path.find('/');
    Fd next = open_component(current ? current.get() : base, std::string(path.substr(0, slash)), create);
    if (!next) return next;
    current = std::move(next);
    path.remove_prefix(slash == std::string_view::npos ? path.size() : slash + 1);
  }
  return current;
}

Fd open_in_one_call(int base, const std::string& path) {
  open_how how{};
  how.flags = kFlags;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  // EAGAIN: a rename somewhere raced with us and the kernel could not be sure.
  for (int attempt = 0; attempt < 64; ++attempt) {
    Fd fd(static_cast<int>(::syscall(SYS_openat2, base, path.c_str(), &how, sizeof how)));
    if (fd || (errno != EAGAIN && errno != EINTR)) return fd;
  }
  return {};
}

}  // namespace

Fd open_beneath(int base, std::string_view path, bool create) {
  if (path.empty()) return Fd(::openat(base, ".", kFlags));
  Fd current;
  while (!path.empty() && kernel().openat2.load(std::memory_order_relaxed)) {
    std::size_t length = path.size();
    if (length >= PATH_MAX) length = path.substr(0, PATH_MAX - 1).rfind('/');
    if (length == std::string_view::npos) break;  // one component that is too long: let the walk say so
    Fd next = open_in_one_call(current ? current.get() : base, std::string(path.substr(0, length)));
    if (!next) {
      if (errno == ENOSYS) kernel().openat2.store(false, std::memory_order_relaxed);
      // ENOENT: something is to be made. EPERM: a sandbox that does not know the call. EAGAIN: renames without end.
      const bool walk = errno == ENOSYS || errno == EPERM || errno == EAGAIN || (errno == ENOENT && create);
      if (!walk) return next;
      break;
    }
    current = std::move(next);
    path.remove_prefix(length == path.size() ? length : length + 1);
  }
  if (path.empty()) return current;
  return walk_components(current ? current.get() : base, path, create);
}

}  // namespace cairn::fs
