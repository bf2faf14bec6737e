#include "ops/filter_process.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include <fmt/format.h>

#include "base/shell_words.h"
#include "ops/child_process.h"

namespace cairn::ops {

Result<FilterProcess> FilterProcess::start(const std::string& command, Direction direction, int other_end) {
  CAIRN_TRY(const std::vector<std::string> words, split_words(command));
  if (words.empty()) return fail(Code::Error, "the tar filter is an empty command");
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return fail(os_error(errno, "pipe"));
  Fd read_end(ends[0]), write_end(ends[1]);
  const bool writes = direction == Direction::Write;

  auto child = spawn_child(words, writes ? read_end.get() : other_end, writes ? other_end : write_end.get());
  if (!child) {
    return fail(Code::Error, fmt::format("filter {}: process creation failed: {}", command, child.error().message()));
  }
  return FilterProcess(command, *child, writes ? std::move(write_end) : std::move(read_end));
}

Status FilterProcess::wait() {
  pipe_.reset();
  if (pid_ < 0) return {};
  const int code = wait_for_child(std::exchange(pid_, -1));
  if (code != 0) return fail(Code::Error, fmt::format("filter {} failed, rc={}", command_, code));
  return {};
}

FilterProcess::~FilterProcess() { (void)wait(); }

}  // namespace cairn::ops
