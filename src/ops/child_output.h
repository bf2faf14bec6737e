// A child program whose standard output is read: --content-from-command and --paths-from-command.
//
// The child ignores SIGINT (Ctrl-C reaches Cairn alone) and does not see passphrase variables.
// Errors    Command: "Failed to execute command: ...", "Command '...' exited with status N".
#pragma once

#include <sys/types.h>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/fd.h"

namespace cairn::ops {

class ChildOutput {
 public:
  static Result<ChildOutput> start(const std::vector<std::string>& words);
  ChildOutput(ChildOutput&& other) noexcept
      : name_(std::move(other.name_)), pid_(std::exchange(other.pid_, -1)), output_(std::move(other.output_)) {}
  ChildOutput& operator=(ChildOutput&&) = delete;
  ~ChildOutput();  // closes the pipe and waits

  int output() const { return output_.get(); }
  // After reading to the end: an error unless the child succeeded.
  Status wait();

 private:
  ChildOutput(std::string name, pid_t pid, Fd output) : name_(std::move(name)), pid_(pid), output_(std::move(output)) {}
  std::string name_;
  pid_t pid_ = -1;
  Fd output_;
};

}  // namespace cairn::ops
