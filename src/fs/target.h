// Restoring objects below one directory, safe against a hostile archive: nothing is ever created, opened, linked or
// changed outside it, whatever the paths and links inside say.
//
// Paths     relative, '/'-separated, of any length (longer than PATH_MAX too). A ".." component is BackupPathTraversal;
//           a parent that is a symbolic link or no directory is BackupSymlinkParent.
// Threads   safe from any number of threads, as long as no two work on the same path at once.
// Errors    the Backup* codes and OS errors, the message with the path in it.
// Source    docs/format (archive, section 9).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/error.h"
#include "base/fd.h"
#include "fs/node.h"

namespace cairn::fs {

// What to set on a restored object. Owner ids are already mapped; -1 leaves them.
struct RestoreAttributes {
  std::uint32_t mode = 0;  // full st_mode
  std::int64_t uid = -1, gid = -1;
  Nanoseconds mtime = 0;
  std::optional<Nanoseconds> atime = std::nullopt;  // default: mtime
  const Attributes* extra = nullptr;                // xattrs, ACLs, flags to set; nullptr = none
  bool set_flags = true, set_acls = true, set_xattrs = true, numeric_ids = false;
  bool set_times = true;
  bool exact =
      false;  // of an object that was there before: what it has beyond `extra` goes, labels of the system apart
};

// What is to stand at a path in the end.
enum class Wanted { Nothing, Directory, Other };

// For remove_unwanted(). Paths are relative to the target.
class RemovalObserver {
 public:
  virtual ~RemovalObserver() = default;
  virtual bool stopping() = 0;
  virtual Wanted wanted(const std::string& path) = 0;
  virtual void removed(const std::string& path) = 0;  // or would be, in a dry run
  virtual void left(const std::string& path, const Error& why) = 0;
};

class Target {
 public:
  // The directory to restore into, opened now.
  static Result<std::unique_ptr<Target>> open(const std::string& path);
  ~Target();

  Result<std::optional<Stat>> stat(const std::string& path);  // nothing if it does not exist; no link is followed
  // Removes what is in the way of a new object: unlinks non-directories, rmdirs an empty directory unless
  // `keep_directory`. What cannot be removed stays (creating will then fail and say why), and so does what was made
  // since open() under a name that only this file system takes for the same.
  void clear(const std::string& path, bool keep_directory);

  // Removes everything that the observer does not want, and directories where it wants something else, with all that is
  // in them. Directories that do not let their owner do it are made to, and are given their mode back if they stay. No
  // link is followed, and no mount point entered or removed: those are left(), and so is what cannot be removed.
  void remove_unwanted(bool dry_run, RemovalObserver& observer);

  Result<Fd> open_file(const std::string& path);  // an existing file, for reading
  Result<std::string> link_target(const std::string& path);
  // Of what `stat` told of.
  Result<Attributes> attributes(const std::string& path, const Stat& stat, const AttributeOptions& options);

  Status make_directory(const std::string& path);  // parents too; an existing directory is kept
  // Lets the owner, if that is us, read, change and enter the directory, whose mode is to be set later.
  void open_to_owner(const std::string& path);
  Result<Fd> create_file(const std::string& path);  // parents too; 0600, O_EXCL, for writing
  Status make_symlink(const std::string& path, const std::string& target);
  Status make_fifo(const std::string& path, std::uint32_t mode);
  Status make_device(const std::string& path, std::uint32_t mode, std::uint64_t rdev);
  Status make_link(const std::string& path, const std::string& existing);  // hard link, nothing is followed
  // In the order owner, mode, ACL, xattrs, times, flags. `fd` is the open object or -1. When the owner could not be
  // set, set-user-ID and set-group-ID are left off. Warnings about single attributes, these too, go to the log. Returns
  // whether all of them could be set.
  Result<bool> set_attributes(const std::string& path, int fd, const RestoreAttributes& attributes);

 private:
  struct State;
  explicit Target(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace cairn::fs
