#include "store/quota_count.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <cstdlib>

#include <algorithm>
#include <charconv>
#include <optional>

#include <fmt/format.h>

#include "store/posix_file.h"

namespace cairn::store {
namespace {

constexpr char kFile[] = "quota.hid";
constexpr std::int64_t kDueBytes = 10'000'000;
constexpr Nanoseconds kDueTime = 300 * kSecond;

std::optional<std::int64_t> read_number(int fd) {
  char text[32];
  const ssize_t n = ::pread(fd, text, sizeof text, 0);
  if (n <= 0) return std::nullopt;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text, text + n, value);
  if (error != std::errc() || end != text + n || value < 0) return std::nullopt;
  return value;
}

Status write_number(int base, std::int64_t value) {
  CAIRN_TRY(TemporaryFile file, TemporaryFile::make(base, "", kFile));
  CAIRN_CHECKED(file.write(bytes_of(fmt::format("{}", value)), false, kFile));
  if (::fsync(file.fd()) != 0) return fail(os_error(errno, kFile));
  CAIRN_TRY(const Fd written, file.rename_to(kFile, kFile));
  return {};
}

Status add_sizes(int base, const std::string& directory, std::int64_t& sum) {
  return visit_directory(base, directory, directory, [&](const char* name, unsigned char, int parent) -> Status {
    struct stat facts{};
    if (::fstatat(parent, name, &facts, AT_SYMLINK_NOFOLLOW) != 0) return {};  // vanished
    if (S_ISDIR(facts.st_mode)) return add_sizes(parent, name, sum);
    if (S_ISREG(facts.st_mode) && (directory != "." || std::string_view(name) != kFile)) sum += facts.st_size;
    return {};
  });
}

// The file, locked: what is locked is what the name means, also after another process replaced it meanwhile.
Result<Fd> open_locked(int base) {
  while (true) {
    Fd file(::openat(base, kFile, O_RDONLY | O_CREAT | O_CLOEXEC, 0666));
    if (!file) return fail(os_error(errno, kFile));
    while (::flock(file.get(), LOCK_EX) != 0) {
      if (errno != EINTR) return fail(os_error(errno, kFile));
    }
    struct stat locked{};
    struct stat named{};
    if (::fstat(file.get(), &locked) != 0) return fail(os_error(errno, kFile));
    if (::fstatat(base, kFile, &named, 0) == 0 && locked.st_ino == named.st_ino && locked.st_dev == named.st_dev) {
      return file;
    }
  }
}

}  // namespace

Status QuotaCount::open(int base) {
  const std::lock_guard lock(mutex_);
  CAIRN_TRY(const Fd file, open_locked(base));
  std::optional<std::int64_t> value = read_number(file.get());
  if (!value) {
    value = 0;
    CAIRN_CHECKED(add_sizes(base, ".", *value));
    CAIRN_CHECKED(write_number(base, *value));
  }
  usage_ = *value;
  unsaved_ = 0;
  written_at_ = clock_.monotonic();
  return {};
}

Status QuotaCount::discard(int base) {
  if (::unlinkat(base, kFile, 0) == 0) return {};
  // Who may not write here cannot make the count wrong either.
  if (errno == ENOENT || errno == EACCES || errno == EPERM || errno == EROFS) return {};
  return fail(os_error(errno, kFile));
}

Status QuotaCount::replace(std::uint64_t old_size, std::uint64_t new_size, const std::string& shown) {
  const std::lock_guard lock(mutex_);
  const std::int64_t change = static_cast<std::int64_t>(new_size) - static_cast<std::int64_t>(old_size);
  if (usage_ + change > static_cast<std::int64_t>(limit_)) {
    return fail(Error(Code::NoSpace,
                      fmt::format("Quota exceeded: storing {} of {} bytes, {} of {} bytes are used.", shown, new_size,
                                  usage_, limit_),
                      EDQUOT));
  }
  usage_ += change;
  unsaved_ += change;
  return {};
}

void QuotaCount::undo_replace(std::uint64_t old_size, std::uint64_t new_size) {
  const std::lock_guard lock(mutex_);
  const std::int64_t change = static_cast<std::int64_t>(new_size) - static_cast<std::int64_t>(old_size);
  usage_ -= change;
  unsaved_ -= change;
}

Quota QuotaCount::now() {
  const std::lock_guard lock(mutex_);
  return {limit_, static_cast<std::uint64_t>(std::max<std::int64_t>(usage_, 0))};
}

Status QuotaCount::persist_if_due(int base) {
  const std::lock_guard lock(mutex_);
  const bool due = std::abs(unsaved_) >= kDueBytes || clock_.monotonic() - written_at_ >= kDueTime;
  return due ? persist_locked(base) : Status{};
}

Status QuotaCount::persist(int base) {
  const std::lock_guard lock(mutex_);
  return persist_locked(base);
}

Status QuotaCount::persist_locked(int base) {
  if (unsaved_ == 0) return {};
  CAIRN_TRY(const Fd file, open_locked(base));
  // A file that vanished or was damaged meanwhile is replaced by what we believe.
  const std::optional<std::int64_t> value = read_number(file.get());
  usage_ = std::max<std::int64_t>(value ? *value + unsaved_ : usage_, 0);
  CAIRN_CHECKED(write_number(base, usage_));
  unsaved_ = 0;
  written_at_ = clock_.monotonic();
  return {};
}

}  // namespace cairn::store
