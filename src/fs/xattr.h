// Extended attributes of one object, by an open file or by name, never following a final link.
//
// By name the calls of Linux 6.13 are used, before that the way through /proc/self/fd, and without /proc the object is
// opened if it is a regular file or a directory (others are then said not to support attributes).
//
// Errors    as the system calls: a negative result is -errno.
// Threads   any; an object of this class holds nothing but what it was given.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/fd.h"

namespace cairn::fs {

class XattrAccess {
 public:
  // `fd` is a file opened for reading or writing (not O_PATH), or -1. `name` must fit one call (long_path.h) and
  // outlive this.
  XattrAccess(int fd, int directory, const std::string& name) : fd_(fd), directory_(directory), name_(&name) {}

  ssize_t list(char* to, std::size_t room);
  ssize_t get(const char* attribute, char* to, std::size_t room);
  int set(const char* attribute, Bytes value);  // 0 or -errno
  int remove(const char* attribute);

  // The same, into strings of whatever size it takes. 0 or -errno.
  int list(std::string& to);
  int get(const char* attribute, std::string& to);

 private:
  // Returns the path to use, or opens the object and sets fd_. Empty when neither works, with errno set.
  std::string path_by_proc();

  int fd_;
  int directory_;
  const std::string* name_;
  Fd opened_;
};

}  // namespace cairn::fs
