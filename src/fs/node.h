// Facts of one file system object, read relative to an open directory so that no path is ever too long or raced.
//
// Errors    OS errors (base/error.h os_error), whose message names `shown` (the path as the user knows it).
//           read_attributes adds the operation as its place: "extended stat (xattrs)", "extended stat (ACLs)".
// Threads   all functions are safe from any thread.
// Source    docs/format (archive, sections 3 and 4).
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "base/fd.h"

namespace cairn::fs {

struct Stat {
  std::uint32_t mode = 0;  // st_mode with the type bits
  std::uint32_t uid = 0, gid = 0;
  std::uint64_t size = 0, inode = 0, device = 0, links = 0, rdev = 0;
  Nanoseconds atime = 0, mtime = 0, ctime = 0;  // may be negative; clamped where the format asks for it
  std::uint64_t blocks = 0;                     // of 512 bytes; fewer than the size needs hints at holes
  // The flags of Attributes, where the kernel reports them with the rest (then reading them needs no open file).
  std::uint32_t bsdflags = 0;
  bool bsdflags_known = false;

  bool is_regular() const { return S_ISREG(mode); }
  bool is_directory() const { return S_ISDIR(mode); }
  bool is_symlink() const { return S_ISLNK(mode); }
};

// `name` relative to `directory` (AT_FDCWD and longer paths are fine too). Never follows a final link unless told to.
Result<Stat> stat_at(int directory, const std::string& name, bool follow, const std::string& shown);
Result<Stat> stat_of(int fd, const std::string& shown);

// O_RDONLY without following a final link; regular files also O_NONBLOCK and O_NOCTTY; O_NOATIME where allowed.
Result<Fd> open_file(int directory, const std::string& name, const std::string& shown);
Result<Fd> open_directory(int directory, const std::string& name, const std::string& shown);
// A path of any length, component by component where it exceeds PATH_MAX; `follow` is about the last component only.
Result<Fd> open_path_directory(const std::string& path, bool follow, const std::string& shown);
Result<std::string> read_link(int directory, const std::string& name, const std::string& shown);

struct DirEntry {
  std::string name;
  std::uint64_t inode = 0;
  unsigned char type = 0;  // DT_*; DT_UNKNOWN where the file system does not say
};
// Without "." and ".."; sorted by inode number, ties in directory order.
Result<std::vector<DirEntry>> read_directory(int fd, const std::string& shown);

// Attributes beyond stat.
struct Attributes {
  std::uint32_t bsdflags = 0;
  std::vector<std::pair<std::string, std::string>> xattrs;  // sorted by name; without system.posix_acl_*
  std::string acl_access, acl_default;                      // Borg's text; empty = none
  bool has_acl = false;  // then acl_access (and acl_default of a directory) is stored
};
struct AttributeOptions {
  bool flags = true, acls = true, xattrs = true;
  bool numeric_ids = false;
};
// `fd` is the open object, or -1: then by name (links and special files are never opened). Problems with a single
// attribute are logged as warnings; errors are "extended stat (...)" failures of the whole object.
Result<Attributes> read_attributes(int fd, int directory, const std::string& name, const Stat& stat,
                                   const AttributeOptions& options, const std::string& shown);

// Names of ids, remembered; empty if unknown. And back: -1 if unknown.
const std::string& user_name(std::uint32_t uid);
const std::string& group_name(std::uint32_t gid);
std::int64_t user_id(const std::string& name);
std::int64_t group_id(const std::string& name);

// The next range of data at or behind `offset`: {start, end}; start == end == size if only a hole is left. Without
// support by the file system the whole rest is data. The file position is undefined afterwards (read with pread).
struct DataRange {
  std::uint64_t start, end;
};
Result<DataRange> next_data(int fd, std::uint64_t offset, std::uint64_t size, const std::string& shown);

}  // namespace cairn::fs
