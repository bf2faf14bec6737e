#include "measure/benchmark_files.h"

#include <fcntl.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "base/buffer.h"
#include "base/fd.h"
#include "measure/benchmark_words.h"

namespace cairn::measure {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20U;

Status write_file(const std::string& path, std::uint64_t size, Buffer& piece, std::uint64_t* seed) {
  Fd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!fd) return fail(os_error(errno, path));
  while (size > 0) {
    const auto step = static_cast<std::size_t>(std::min<std::uint64_t>(size, piece.size()));
    if (seed != nullptr) fill_with_noise(piece.span().first(step), ++*seed);
    Bytes rest = piece.view(0, step);
    while (!rest.empty()) {
      const ssize_t count = ::write(fd.get(), rest.data(), rest.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return fail(os_error(errno, path));
      rest = rest.subspan(static_cast<std::size_t>(count));
    }
    size -= step;
  }
  if (::fsync(fd.get()) != 0 && errno != EINVAL) return fail(os_error(errno, path));
  (void)::posix_fadvise(fd.get(), 0, 0, POSIX_FADV_DONTNEED);  // advice: some file systems have nothing to drop
  if (const int error = fd.close(); error != 0) return fail(os_error(error, path));
  return {};
}

}  // namespace

Result<SampleFiles> SampleFiles::make(const std::string& parent, const Sample& sample,
                                      const std::function<bool()>& stop) {
  std::string directory = parent + (parent.ends_with('/') ? "" : "/") + "borg-test-data-XXXXXX";
  if (::mkdtemp(directory.data()) == nullptr) return fail(os_error(errno, parent));
  SampleFiles files(std::move(directory));
  std::uint64_t seed = 0;
  if (::getrandom(&seed, sizeof seed, 0) != sizeof seed) return fail(os_error(errno, "random numbers"));
  Buffer piece(static_cast<std::size_t>(std::min<std::uint64_t>(std::max<std::uint64_t>(sample.size, 1), kPiece)));
  std::memset(piece.data(), 0, piece.size());
  for (int number = 0; number < sample.count; ++number) {
    if (stop && stop()) return fail(Code::Interrupted, "");
    CAIRN_CHECKED(write_file(fmt::format("{}/file_{}", files.directory_, number), sample.size, piece,
                             sample.is_random ? &seed : nullptr));
  }
  return files;
}

SampleFiles::~SampleFiles() {
  std::error_code error;
  if (!directory_.empty()) std::filesystem::remove_all(directory_, error);
}

}  // namespace cairn::measure
