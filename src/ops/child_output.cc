#include "ops/child_output.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include <fmt/format.h>

#include "ops/child_process.h"

namespace cairn::ops {

Result<ChildOutput> ChildOutput::start(const std::vector<std::string>& words) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return fail(os_error(errno, "pipe"));
  Fd output(ends[0]);
  const Fd input(ends[1]);

  CAIRN_TRY(const pid_t pid, spawn_child(words, -1, input.get()));
  return ChildOutput(words[0], pid, std::move(output));
}

Status ChildOutput::wait() {
  output_.reset();
  if (pid_ < 0) return {};
  const int code = wait_for_child(std::exchange(pid_, -1));
  if (code != 0) return fail(Code::Command, fmt::format("Command '{}' exited with status {}", name_, code));
  return {};
}

ChildOutput::~ChildOutput() { (void)wait(); }

}  // namespace cairn::ops
