#include "store/posix_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>

#include <algorithm>
#include <memory>
#include <vector>

#include "exec/memory_bound.h"
#include "exec/memory_read.h"

namespace cairn::store {
namespace {

// Write-back starts after each piece of this size; smaller values are left to sync().
constexpr std::size_t kPiece = 4 << 20;

Result<std::string> temporary_name() {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz0123456789_";
  unsigned char random[8];
  if (::getrandom(random, sizeof random, 0) != ssize_t{sizeof random}) return fail(os_error(errno, ""));
  std::string name = "tmp";
  for (const unsigned char byte : random) name += kLetters[byte % kLetters.size()];
  return name + ".tmp";
}

}  // namespace

TemporaryFile::TemporaryFile(TemporaryFile&& other) noexcept
    : base_(other.base_), path_(std::exchange(other.path_, {})), file_(std::move(other.file_)) {}

TemporaryFile::~TemporaryFile() {
  if (!path_.empty()) ::unlinkat(base_, path_.c_str(), 0);
}

Result<TemporaryFile> TemporaryFile::make(int base, const std::string& directory, const std::string& shown) {
  for (int attempt = 0;; ++attempt) {
    CAIRN_TRY(const std::string name, temporary_name());
    std::string path = directory.empty() ? name : directory + "/" + name;
    Fd file(::openat(base, path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (file) return TemporaryFile(base, std::move(path), std::move(file));
    const bool again = errno == EINTR || (errno == EEXIST && attempt < 100);
    if (!again) return fail(os_error(errno, shown));
  }
}

Status TemporaryFile::write(Bytes value, bool early, const std::string& shown) {
  const bool big = early && value.size() >= kPiece;
  std::size_t done = 0;
  while (done < value.size()) {
    const Bytes piece = value.subspan(done, std::min(value.size() - done, kPiece));
    const ssize_t n = exec::memory_bound(exec::side_by_side(piece.size()),
                                         [&] { return ::write(file_.get(), piece.data(), piece.size()); });
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fail(os_error(errno, shown));
    if (n == 0) return fail(os_error(EIO, shown));
    // Only a hint: a file system without it loses nothing but time.
    if (big) ::sync_file_range(file_.get(), static_cast<off_t>(done), n, SYNC_FILE_RANGE_WRITE);
    done += static_cast<std::size_t>(n);
  }
  return {};
}

Result<Fd> TemporaryFile::rename_to(const std::string& path, const std::string& shown) {
  // Network file systems send data and report failures when a descriptor is closed. The file must stay open for
  // fdatasync, so a duplicate is closed before other clients can see the name.
  Fd duplicate(::fcntl(file_.get(), F_DUPFD_CLOEXEC, 0));
  if (!duplicate) return fail(os_error(errno, shown));
  if (const int error = duplicate.close(); error != 0) return fail(os_error(error, shown));
  if (::renameat(base_, path_.c_str(), base_, path.c_str()) != 0) return fail(os_error(errno, shown));
  path_.clear();
  return std::move(file_);
}

Status make_directories(int base, const std::string& directory, const std::string& shown,
                        const std::function<void(const std::string&)>& made) {
  for (std::size_t end = 0; end != std::string::npos;) {
    end = directory.find('/', end + 1);
    const std::string part = directory.substr(0, end);
    if (::mkdirat(base, part.c_str(), 0777) == 0) {
      const std::size_t slash = part.rfind('/');
      made(slash == std::string::npos ? "." : slash == 0 ? "/" : part.substr(0, slash));
    } else if (errno != EEXIST) {
      return fail(os_error(errno, shown));
    }
  }
  return {};
}

Status read_range(int fd, std::uint64_t file_size, std::uint64_t offset, std::uint64_t size, Buffer& out,
                  const std::string& shown) {
  out.clear();
  if (offset >= file_size) return {};
  const std::size_t wanted = std::min(size, file_size - offset);
  out.resize(wanted);
  std::size_t done = 0;
  while (done < wanted) {
    const ssize_t n = exec::read_at(fd, out.span().subspan(done), offset + done, exec::side_by_side(wanted - done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      out.clear();
      return fail(os_error(errno, shown));
    }
    if (n == 0) break;  // the file became shorter
    done += static_cast<std::size_t>(n);
  }
  out.resize(done);
  return {};
}

Status visit_directory(int base, const std::string& directory, const std::string& shown,
                       const std::function<Status(const char* name, unsigned char type, int directory_fd)>& visit) {
  Fd fd(::openat(base, directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd) return fail(os_error(errno, shown));
  struct Closer {
    void operator()(DIR* stream) const { ::closedir(stream); }
  };
  const std::unique_ptr<DIR, Closer> stream(::fdopendir(fd.get()));
  if (!stream) return fail(os_error(errno, shown));
  (void)fd.release();  // the stream owns it now
  while (true) {
    errno = 0;
    const dirent* entry = ::readdir(stream.get());
    if (entry == nullptr) {
      if (errno != 0) return fail(os_error(errno, shown));
      return {};
    }
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    CAIRN_CHECKED(visit(entry->d_name, entry->d_type, ::dirfd(stream.get())));
  }
}

Status remove_contents(int base, const std::string& directory, const std::string& shown) {
  return visit_directory(base, directory, shown, [&](const char* name, unsigned char, int parent) -> Status {
    if (::unlinkat(parent, name, 0) == 0 || errno == ENOENT) return {};
    const std::string path = shown + "/" + name;
    if (errno != EISDIR && errno != EPERM) return fail(os_error(errno, path));
    struct stat facts{};
    if (::fstatat(parent, name, &facts, AT_SYMLINK_NOFOLLOW) != 0) return fail(os_error(errno, path));
    if (!S_ISDIR(facts.st_mode)) return fail(os_error(EPERM, path));
    CAIRN_CHECKED(remove_contents(parent, name, path));
    if (::unlinkat(parent, name, AT_REMOVEDIR) != 0 && errno != ENOENT) return fail(os_error(errno, path));
    return {};
  });
}

}  // namespace cairn::store
