#include "fs/timestamp_slack.h"

#include <sys/vfs.h>

#include <algorithm>
#include <array>

namespace cairn::fs {
namespace {

// Numbers of statfs(2): ext2 to ext4, XFS, Btrfs, F2FS, ZFS, bcachefs, tmpfs, ramfs, overlayfs.
constexpr auto kFine = std::to_array<unsigned>(
    {0xEF53, 0x58465342, 0x9123683E, 0xF2F52010, 0x2FC12FC1, 0xCA451A4E, 0x01021994, 0x858458F6, 0x794C7630});

}  // namespace

Nanoseconds timestamp_slack(int fd) {
  struct statfs facts{};
  if (::fstatfs(fd, &facts) != 0) return kCoarseSlack;
  const bool fine = std::ranges::find(kFine, static_cast<unsigned>(facts.f_type)) != kFine.end();
  return fine ? kFineSlack : kCoarseSlack;
}

}  // namespace cairn::fs
