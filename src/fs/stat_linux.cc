// statx, because it reports the file flags too: an unchanged file then needs no open at all.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <cerrno>
#include <limits>

#include "fs/flags.h"
#include "fs/kernel.h"
#include "fs/long_path.h"
#include "fs/node.h"

namespace cairn::fs {
namespace {

// Times that 64 bits of nanoseconds cannot hold become the nearest that they can.
Nanoseconds nanoseconds(std::int64_t seconds, std::uint32_t fraction) {
  constexpr std::int64_t kMost = std::numeric_limits<Nanoseconds>::max() / kSecond - 1;
  if (seconds > kMost) return std::numeric_limits<Nanoseconds>::max();
  if (seconds < -kMost) return std::numeric_limits<Nanoseconds>::min();
  return seconds * kSecond + fraction;
}

Stat convert(const struct stat& st) {
  return {.mode = st.st_mode,
          .uid = st.st_uid,
          .gid = st.st_gid,
          .size = static_cast<std::uint64_t>(st.st_size),
          .inode = st.st_ino,
          .device = st.st_dev,
          .links = st.st_nlink,
          .rdev = st.st_rdev,
          .atime = nanoseconds(st.st_atim.tv_sec, static_cast<std::uint32_t>(st.st_atim.tv_nsec)),
          .mtime = nanoseconds(st.st_mtim.tv_sec, static_cast<std::uint32_t>(st.st_mtim.tv_nsec)),
          .ctime = nanoseconds(st.st_ctim.tv_sec, static_cast<std::uint32_t>(st.st_ctim.tv_nsec)),
          .blocks = static_cast<std::uint64_t>(st.st_blocks)};
}

Stat convert(const struct statx& st) {
  Stat out{.mode = st.stx_mode,
           .uid = st.stx_uid,
           .gid = st.stx_gid,
           .size = st.stx_size,
           .inode = st.stx_ino,
           .device = makedev(st.stx_dev_major, st.stx_dev_minor),
           .links = st.stx_nlink,
           .rdev = makedev(st.stx_rdev_major, st.stx_rdev_minor),
           .atime = nanoseconds(st.stx_atime.tv_sec, st.stx_atime.tv_nsec),
           .mtime = nanoseconds(st.stx_mtime.tv_sec, st.stx_mtime.tv_nsec),
           .ctime = nanoseconds(st.stx_ctime.tv_sec, st.stx_ctime.tv_nsec),
           .blocks = st.stx_blocks};
  constexpr std::uint64_t kNeeded = STATX_ATTR_NODUMP | STATX_ATTR_IMMUTABLE | STATX_ATTR_APPEND;
  if ((st.stx_attributes_mask & kNeeded) == kNeeded) {
    out.bsdflags_known = true;
    // Other kinds of objects count as without flags: Borg cannot ask for theirs, and nothing could set them again.
    if (out.is_regular() || out.is_directory()) {
      if ((st.stx_attributes & STATX_ATTR_NODUMP) != 0) out.bsdflags |= kFlagNodump;
      if ((st.stx_attributes & STATX_ATTR_IMMUTABLE) != 0) out.bsdflags |= kFlagImmutable;
      if ((st.stx_attributes & STATX_ATTR_APPEND) != 0) out.bsdflags |= kFlagAppend;
    }
  }
  return out;
}

Result<Stat> stat_once(int directory, const char* name, int flags, const std::string& shown) {
  // Like fstatat, never trigger an automount.
  flags |= AT_NO_AUTOMOUNT;
  if (kernel().statx.load(std::memory_order_relaxed)) {
    struct statx st{};
    if (::statx(directory, name, flags, STATX_BASIC_STATS, &st) == 0) return convert(st);
    if (errno == ENOSYS) kernel().statx.store(false, std::memory_order_relaxed);
    // Some sandboxes answer EPERM to calls that they do not know; fstatat tells the truth.
    if (errno != ENOSYS && errno != EPERM) return fail(os_error(errno, shown));
  }
  struct stat st{};
  if (::fstatat(directory, name, &st, flags) != 0) return fail(os_error(errno, shown));
  return convert(st);
}

}  // namespace

Result<Stat> stat_at(int directory, const std::string& name, bool follow, const std::string& shown) {
  const int flags = follow ? 0 : AT_SYMLINK_NOFOLLOW;
  if (fits_one_call(name)) [[likely]]
    return stat_once(directory, name.c_str(), flags, shown);
  CAIRN_TRY(const Place place, walk_long_path(directory, name, shown));
  return stat_once(place.directory, place.name.c_str(), flags, shown);
}

Result<Stat> stat_of(int fd, const std::string& shown) { return stat_once(fd, "", AT_EMPTY_PATH, shown); }

}  // namespace cairn::fs
