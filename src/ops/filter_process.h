// A program between Cairn and a tar archive: gzip, xz or whatever the user names.
//
// The program does not see passphrase variables and ignores SIGINT (Ctrl-C reaches Cairn alone, which then ends it by
// closing the pipe).
// Errors    Error: "filter ...: process creation failed", "filter ... failed, rc=N".
#pragma once

#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/fd.h"

namespace cairn::ops {

class FilterProcess {
 public:
  // Write: we write what it reads, and `other_end` is where it writes to. Read: the other way round.
  enum class Direction { Write, Read };
  static Result<FilterProcess> start(const std::string& command, Direction direction, int other_end);
  FilterProcess(FilterProcess&& other) noexcept
      : command_(std::move(other.command_)), pid_(std::exchange(other.pid_, -1)), pipe_(std::move(other.pipe_)) {}
  FilterProcess& operator=(FilterProcess&&) = delete;
  ~FilterProcess();  // closes the pipe and waits

  int pipe() const { return pipe_.get(); }
  // Closes the pipe, waits, and says whether it succeeded.
  Status wait();

 private:
  FilterProcess(std::string command, pid_t pid, Fd pipe)
      : command_(std::move(command)), pid_(pid), pipe_(std::move(pipe)) {}
  std::string command_;
  pid_t pid_ = -1;
  Fd pipe_;
};

}  // namespace cairn::ops
