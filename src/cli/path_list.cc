#include "cli/path_list.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

namespace cairn::cli {

Result<std::optional<std::string>> PathList::next() {
  std::size_t searched = 0;
  while (true) {
    const auto end = pending_.find(delimiter_, searched);
    if (end != std::string::npos) {
      std::string path = pending_.substr(0, end);
      pending_.erase(0, end + delimiter_.size());
      searched = 0;
      if (path.empty()) continue;
      return path;
    }
    if (ended_) {
      if (pending_.empty()) return std::nullopt;
      return std::exchange(pending_, {});
    }
    // The delimiter may lie across two reads.
    searched = pending_.size() >= delimiter_.size() ? pending_.size() - (delimiter_.size() - 1) : 0;
    std::array<char, 65536> block;
    const ssize_t count = ::read(fd_, block.data(), block.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return fail(os_error(errno, "paths"));
    if (count == 0) ended_ = true;
    pending_.append(block.data(), static_cast<std::size_t>(count));
  }
}

}  // namespace cairn::cli
