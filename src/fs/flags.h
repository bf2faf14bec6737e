// File flags as the BSDs number them; Linux has three of them (docs/format, archive, section 3.2).
#pragma once

#include <cstdint>
#include <optional>

namespace cairn::fs {

constexpr std::uint32_t kFlagNodump = 1, kFlagImmutable = 2, kFlagAppend = 4;

// Of an open file or directory (not O_PATH); nothing if the file system has no flags.
std::optional<std::uint32_t> get_bsdflags(int fd);
// Replaces these three flags and no others. Where that is refused (EPERM: not root), kFlagNodump alone is set, silently
// as Borg does it. 0 or an errno; 0 too where the file system has no flags.
int set_bsdflags(int fd, std::uint32_t bsdflags);

}  // namespace cairn::fs
