#include "measure/benchmark_data.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include <fmt/format.h>

#include "base/fd.h"
#include "fs/node.h"

namespace cairn::measure {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20U;

class Reader {
 public:
  Reader(const std::function<bool()>& stop, std::size_t most) : stop_(stop), most_(most) {}

  Status read_file(const std::string& path) {
    const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (file.get() < 0) return unreadable(path, errno);
    while (!full()) {
      if (stop_ && stop_()) return fail(Code::Interrupted, "");
      const std::size_t old = data_.size();
      const std::size_t room = std::min(kPiece, most_ - old);
      data_.resize(old + room);
      const ssize_t count = ::read(file.get(), data_.data() + old, room);
      const int reason = errno;
      data_.resize(old + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
      if (count == 0) break;
      if (count < 0 && reason != EINTR) return unreadable(path, reason);
    }
    return {};
  }

  // A directory that cannot be read is passed over, as Borg does.
  Status read_directory(const std::string& path, bool is_root) {
    const auto directory = fs::open_path_directory(path, is_root, path);
    if (!directory) return {};
    auto entries = fs::read_directory(directory->get(), path);
    if (!entries) return {};
    std::ranges::sort(*entries, {}, &fs::DirEntry::name);
    std::vector<std::string> inner;
    for (const fs::DirEntry& entry : *entries) {
      if (full()) return {};
      const std::string name = path + (path.ends_with('/') ? "" : "/") + entry.name;
      struct stat seen{};
      if (::lstat(name.c_str(), &seen) != 0) continue;
      if (S_ISDIR(seen.st_mode)) {
        inner.push_back(name);
      } else if (::stat(name.c_str(), &seen) == 0 && S_ISREG(seen.st_mode)) {
        CAIRN_CHECKED(read_file(name));
      }
    }
    for (const std::string& name : inner) {
      if (full()) break;
      CAIRN_CHECKED(read_directory(name, false));
    }
    return {};
  }

  Buffer take() { return std::move(data_); }

 private:
  bool full() const { return data_.size() >= most_; }
  static Status unreadable(const std::string& path, int reason) {
    return fail(Code::Command, fmt::format("--data: could not read '{}': {}", path, os_error(reason, path).message()));
  }

  const std::function<bool()>& stop_;
  const std::size_t most_;
  Buffer data_;
};

}  // namespace

Result<Buffer> read_benchmark_data(const std::string& path, const std::function<bool()>& stop, std::size_t most) {
  struct stat seen{};
  const bool is_there = ::stat(path.c_str(), &seen) == 0;
  Reader reader(stop, most);
  if (is_there && S_ISREG(seen.st_mode)) {
    CAIRN_CHECKED(reader.read_file(path));
  } else if (is_there && S_ISDIR(seen.st_mode)) {
    CAIRN_CHECKED(reader.read_directory(path, true));
  } else {
    return fail(Code::Command, fmt::format("--data: '{}' is not a file or directory.", path));
  }
  Buffer data = reader.take();
  if (data.empty()) return fail(Code::Command, fmt::format("--data: no data found at '{}'.", path));
  return data;
}

}  // namespace cairn::measure
