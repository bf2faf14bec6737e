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
  // The object behind an O_PATH descriptor, through /proc/self/fd; without /proc by its name.
  static XattrAccess of_handle(int handle, int directory, const std::string& name);

  ssize_t list(char* to, std::size_t room);
  ssize_t get(const char* attribute, char* to, std::size_t room);
  int set(const char* attribute, Bytes value);  // 0 or -errno
  int remove(const char* attribute);

  // The same, into strings of whatever size it takes. 0 or -errno.
  int list(std::string& to);
  int get(const char* attribute, std::string& to);

 private:
  struct Path {
    std::string text;  // empty if there is none: then fd_ is to be used, or errno says why not
    bool follow = false;
  };
  bool wants_call_by_name() const;
  Path path();

  int fd_;
  int directory_;
  const std::string* name_;
  int handle_ = -1;
  Fd opened_;
};

}  // namespace cairn::fs
