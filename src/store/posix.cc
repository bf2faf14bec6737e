#include "store/posix.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "base/check.h"
#include "hash/blake3.h"
#include "store/open_files.h"
#include "store/pending_writes.h"
#include "store/posix_file.h"
#include "store/quota_count.h"

namespace cairn::store {
namespace {

double seconds(const timespec& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

std::string parent_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string() : path.substr(0, slash);
}

class PosixStore final : public Store {
 public:
  PosixStore(std::string path, const PosixOptions& options)
      : path_(std::move(path)),
        permissions_(options.permissions),
        pending_(options.durable),
        open_files_(options.open_packs) {
    if (options.quota_limit) quota_ = std::make_unique<QuotaCount>(*options.quota_limit, *options.clock);
  }
  ~PosixStore() override {
    if (quota_ && base_) (void)quota_->persist(base_.get());  // the next one scans or counts on with what is there
  }

  Status create() override;
  Status destroy() override;
  Status open() override;
  std::string location() const override { return path_; }

  Result<std::vector<Entry>> list(std::string_view space, Which which) override;
  Result<std::vector<std::string>> list_names(std::string_view space, Which which) override;
  Result<Info> info(std::string_view name) override;
  Status load(std::string_view name, Buffer& out) override;
  Status load_range(std::string_view name, std::uint64_t offset, std::uint64_t size, Buffer& out) override;
  Status put(std::string_view name, Bytes value) override;
  Status remove(std::string_view name) override;
  Status move(std::string_view from, std::string_view to) override;
  Result<Digest256> hash(std::string_view name) override;
  Status sync() override { return pending_.sync(base(), path_); }
  Result<PackId> defrag(std::span<const Range> ranges) override;
  Result<std::optional<Quota>> quota() override;
  Result<std::uint64_t> remove_stale_temporaries() override;
  std::string granted(std::string_view name) const override { return std::string(permissions_.granted(name)); }

 private:
  int base() const {
    CAIRN_CHECK(base_, "the store is not open");
    return base_.get();
  }
  std::string shown(std::string_view path) const { return fmt::format("{}/{}", path_, path); }
  bool exists(const std::string& path) const {
    struct stat facts{};
    return ::fstatat(base(), path.c_str(), &facts, 0) == 0;
  }
  std::uint64_t size_of(const std::string& path) const {
    struct stat facts{};
    return ::fstatat(base(), path.c_str(), &facts, 0) == 0 ? static_cast<std::uint64_t>(facts.st_size) : 0;
  }
  Status write(const std::string& path, Bytes value);
  Status may_store(const std::string& path, std::string_view doing, std::string_view name) const;
  Result<OpenFile> open_file(const std::string& path) const;
  Result<OpenFiles::Handle> open_for_reading(std::string_view name);
  Result<TemporaryFile> make_temporary(const std::string& path);
  // Calls found(key, directory, entry) for every object of a namespace, in no order.
  template <class Found>
  Status visit_objects(std::string_view space, Which which, Found&& found);

  const std::string path_;
  const Permissions permissions_;
  Fd base_;  // set by open()
  PendingWrites pending_;
  OpenFiles open_files_;
  std::unique_ptr<QuotaCount> quota_;  // none: no limit
};

Status PosixStore::create() {
  CAIRN_CHECKED(permissions_.require("", "wW", "creating a repository"));
  std::vector<std::string> changed;  // directories outside of ours that got a new entry; absolute, as path_ is
  CAIRN_CHECKED(
      make_directories(AT_FDCWD, path_, path_, [&](const std::string& directory) { changed.push_back(directory); }));
  base_ = Fd(::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!base_ && errno == ENOTDIR)
    return fail(Code::PathAlreadyExists, fmt::format("There is already something at {}.", path_));
  if (!base_) return fail(os_error(errno, path_));
  pending_.reset();
  open_files_.clear();
  CAIRN_CHECKED(visit_directory(base(), ".", path_, [&](const char*, unsigned char, int) -> Status {
    return fail(Code::RepositoryAlreadyExists, fmt::format("A repository already exists at {}.", path_));
  }));
  const auto made = [&](const std::string& directory) { pending_.changed_directory(directory); };
  for (const std::string_view space : kNamespaces) {
    CAIRN_CHECKED(make_directories(base(), std::string(space), shown(space), made));
  }
  for (int i = 0; i < 256; ++i) {
    const std::string directory = fmt::format("packs/{:02x}", i);
    CAIRN_CHECKED(make_directories(base(), directory, shown(directory), made));
  }
  for (const std::string& directory : changed) pending_.changed_directory(directory);
  return {};
}

Status PosixStore::destroy() {
  CAIRN_CHECKED(permissions_.require("", "D", "deleting a repository"));
  const Fd directory(::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory) return fail(Code::RepositoryDoesNotExist, fmt::format("Repository {} does not exist.", path_));
  CAIRN_CHECKED(remove_contents(directory.get(), ".", path_));
  open_files_.clear();
  pending_.reset();
  base_.reset();                 // nor is there a count to keep
  (void)::rmdir(path_.c_str());  // a hoster may forbid it, and it may be a mount point or a link
  return {};
}

Status PosixStore::open() {
  Fd directory(::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory && (errno == ENOENT || errno == ENOTDIR)) {
    return fail(Code::RepositoryDoesNotExist, fmt::format("Repository {} does not exist.", path_));
  }
  if (!directory) return fail(os_error(errno, path_));
  base_ = std::move(directory);
  pending_.reset();
  open_files_.clear();
  if (quota_) return quota_->open(base());
  return QuotaCount::discard(base());
}

template <class Found>
Status PosixStore::visit_objects(std::string_view space, Which which, Found&& found) {
  CAIRN_CHECKED(check_space(space));
  CAIRN_CHECKED(permissions_.require(space, "l", fmt::format("listing {}/", space)));
  const auto visit = [&](const std::string& directory) {
    return visit_directory(base(), directory, shown(directory),
                           [&](const char* entry, unsigned char type, int directory_fd) -> Status {
                             std::string_view key;
                             if (type == DT_DIR || !key_of_entry(entry, which, key)) return {};
                             // What lies in the wrong directory could not be read by its name.
                             if (nested(fmt::format("{}/{}", space, entry)) != fmt::format("{}/{}", directory, entry))
                               return {};
                             found(key, entry, type, directory_fd);
                             return {};
                           });
  };
  if (space != "packs") return visit(std::string(space));
  std::vector<std::string> directories;
  CAIRN_CHECKED(visit_directory(base(), "packs", shown("packs"), [&](const char* entry, unsigned char, int) -> Status {
    if (std::string_view(entry).size() == 2 && is_valid_name(entry))
      directories.push_back(fmt::format("packs/{}", entry));
    return {};
  }));
  std::ranges::sort(directories);
  for (const std::string& directory : directories) {
    Status status = visit(directory);
    const bool gone = !status && (status.error().os_error() == ENOENT || status.error().os_error() == ENOTDIR);
    if (!status && !gone) return status;
  }
  return {};
}

Result<std::vector<Entry>> PosixStore::list(std::string_view space, Which which) {
  std::vector<Entry> entries;
  CAIRN_CHECKED(visit_objects(space, which, [&](std::string_view key, const char* entry, unsigned char, int directory) {
    struct stat facts{};
    if (::fstatat(directory, entry, &facts, 0) != 0 || !S_ISREG(facts.st_mode)) return;  // vanished, or not ours
    entries.push_back({std::string(key), static_cast<std::uint64_t>(facts.st_size), seconds(facts.st_mtim)});
  }));
  std::ranges::sort(entries, {}, &Entry::name);
  return entries;
}

Result<std::vector<std::string>> PosixStore::list_names(std::string_view space, Which which) {
  std::vector<std::string> names;
  CAIRN_CHECKED(
      visit_objects(space, which, [&](std::string_view key, const char* entry, unsigned char type, int directory) {
        struct stat facts{};
        if (type != DT_REG && (::fstatat(directory, entry, &facts, 0) != 0 || !S_ISREG(facts.st_mode))) return;
        names.emplace_back(key);
      }));
  std::ranges::sort(names);
  return names;
}

Result<Info> PosixStore::info(std::string_view name) {
  CAIRN_CHECKED(check_any_name(name));
  CAIRN_CHECKED(permissions_.require(name, "lr", fmt::format("looking at {}", name)));
  const std::string path = name.empty() ? "." : nested(name);
  struct stat facts{};
  if (::fstatat(base(), path.c_str(), &facts, 0) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return Info{};
    return fail(os_error(errno, shown(path)));
  }
  return Info{.exists = true,
              .directory = S_ISDIR(facts.st_mode),
              .size = S_ISDIR(facts.st_mode) ? 0 : static_cast<std::uint64_t>(facts.st_size),
              .mtime = seconds(facts.st_mtim)};
}

Result<OpenFile> PosixStore::open_file(const std::string& path) const {
  OpenFile file;
  // O_NONBLOCK: a named pipe in place of an object must not hang us.
  do file.fd = Fd(::openat(base(), path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  while (!file.fd && errno == EINTR);
  struct stat facts{};
  if (!file.fd || ::fstat(file.fd.get(), &facts) != 0) return fail(os_error(errno, shown(path)));
  if (!S_ISREG(facts.st_mode)) return fail(os_error(S_ISDIR(facts.st_mode) ? EISDIR : EINVAL, shown(path)));
  file.size = static_cast<std::uint64_t>(facts.st_size);
  return file;
}

Status PosixStore::load(std::string_view name, Buffer& out) {
  out.clear();
  CAIRN_CHECKED(check_object_name(name));
  CAIRN_CHECKED(permissions_.require(name, "r", fmt::format("reading {}", name)));
  const std::string path = nested(name);
  CAIRN_TRY(const OpenFile file, open_file(path));
  return read_range(file.fd.get(), file.size, 0, file.size, out, shown(path));
}

Status PosixStore::load_range(std::string_view name, std::uint64_t offset, std::uint64_t size, Buffer& out) {
  out.clear();
  CAIRN_CHECKED(check_object_name(name));
  CAIRN_CHECKED(permissions_.require(name, "r", fmt::format("reading {}", name)));
  const std::string path = nested(name);
  const auto open = [&] { return open_file(path); };
  if (space_of(name) != "packs") {
    CAIRN_TRY(const OpenFile file, open());
    return read_range(file.fd.get(), file.size, offset, size, out, shown(path));
  }
  CAIRN_TRY(const OpenFiles::Handle file, open_files_.get(path, open));
  return read_range(file->fd.get(), file->size, offset, size, out, shown(path));
}

Status PosixStore::may_store(const std::string& path, std::string_view doing, std::string_view name) const {
  if (!permissions_.restricted()) return {};
  return permissions_.require(name, exists(path) ? "W" : "wW", fmt::format("{} {}", doing, name));
}

Result<TemporaryFile> PosixStore::make_temporary(const std::string& path) {
  const std::string directory = parent_of(path);
  Result<TemporaryFile> file = TemporaryFile::make(base(), directory, shown(path));
  if (file || file.error().os_error() != ENOENT) return file;
  CAIRN_CHECKED(make_directories(base(), directory, shown(directory),
                                 [&](const std::string& changed) { pending_.changed_directory(changed); }));
  return TemporaryFile::make(base(), directory, shown(path));
}

Status PosixStore::put(std::string_view name, Bytes value) {
  CAIRN_CHECKED(check_object_name(name));
  const std::string path = nested(name);
  CAIRN_CHECKED(may_store(path, "storing", name));
  if (!quota_) return write(path, value);
  const std::uint64_t old_size = size_of(path);
  CAIRN_CHECKED(quota_->replace(old_size, value.size(), shown(path)));
  if (Status status = write(path, value); !status) {
    quota_->undo_replace(old_size, value.size());
    return status;
  }
  return quota_->persist_if_due(base());
}

Status PosixStore::write(const std::string& path, Bytes value) {
  CAIRN_TRY(TemporaryFile temporary, make_temporary(path));
  CAIRN_CHECKED(temporary.write(value, pending_.enabled(), shown(path)));
  CAIRN_TRY(Fd file, temporary.rename_to(path, shown(path)));
  open_files_.forget(path);
  pending_.wrote(path, std::move(file));
  return {};
}

Status PosixStore::remove(std::string_view name) {
  CAIRN_CHECKED(check_object_name(name));
  CAIRN_CHECKED(permissions_.require(name, "D", fmt::format("deleting {}", name)));
  const std::string path = nested(name);
  const std::uint64_t size = quota_ ? size_of(path) : 0;
  if (::unlinkat(base(), path.c_str(), 0) != 0) return fail(os_error(errno, shown(path)));
  open_files_.forget(path);
  pending_.removed(path);
  if (!quota_) return {};
  quota_->removed(size);
  return quota_->persist_if_due(base());
}

Status PosixStore::move(std::string_view from, std::string_view to) {
  CAIRN_CHECKED(check_object_name(from));
  CAIRN_CHECKED(check_object_name(to));
  const std::string source = nested(from);
  const std::string target = nested(to);
  CAIRN_CHECKED(permissions_.require(from, "D", fmt::format("moving {}", from)));
  CAIRN_CHECKED(may_store(target, "moving an object to", to));
  if (::renameat(base(), source.c_str(), base(), target.c_str()) != 0) {
    if (errno != ENOENT) return fail(os_error(errno, shown(source)));
    if (!exists(source)) return fail(os_error(ENOENT, shown(source)));
    CAIRN_CHECKED(make_directories(base(), parent_of(target), shown(target),
                                   [&](const std::string& changed) { pending_.changed_directory(changed); }));
    if (::renameat(base(), source.c_str(), base(), target.c_str()) != 0) return fail(os_error(errno, shown(source)));
  }
  open_files_.forget(source);
  open_files_.forget(target);
  if (source != target) pending_.moved(source, target);
  return {};
}

Result<Digest256> PosixStore::hash(std::string_view name) {
  constexpr std::uint64_t kPiece = 1 << 20;
  CAIRN_CHECKED(check_object_name(name));
  CAIRN_CHECKED(permissions_.require(name, "r", fmt::format("reading {}", name)));
  const std::string path = nested(name);
  CAIRN_TRY(const OpenFile file, open_file(path));
  hash::Blake3 hasher;
  Buffer piece;
  for (std::uint64_t offset = 0;; offset += piece.size()) {
    CAIRN_CHECKED(read_range(file.fd.get(), file.size, offset, kPiece, piece, shown(path)));
    if (piece.empty()) return hasher.finish();
    hasher.update(piece);
  }
}

Result<PackId> PosixStore::defrag(std::span<const Range> ranges) {
  CAIRN_CHECKED(permissions_.require("packs", "W", "storing packs made of others"));
  return Store::defrag(ranges);
}

Result<std::optional<Quota>> PosixStore::quota() {
  if (!quota_) return std::nullopt;
  return quota_->now();
}

Result<std::uint64_t> PosixStore::remove_stale_temporaries() {
  constexpr time_t kDay = 24 * 3600;
  // The storage's clock is not ours: a new file tells its time.
  CAIRN_TRY(const TemporaryFile probe, TemporaryFile::make(base(), "", shown("")));
  struct stat now{};
  if (::fstat(probe.fd(), &now) != 0) return fail(os_error(errno, path_));

  std::uint64_t removed = 0;
  const auto clean = [&](const std::string& directory) {
    return visit_directory(base(), directory, shown(directory),
                           [&](const char* entry, unsigned char, int directory_fd) -> Status {
                             if (!std::string_view(entry).ends_with(".tmp")) return {};
                             struct stat facts{};
                             if (::fstatat(directory_fd, entry, &facts, AT_SYMLINK_NOFOLLOW) != 0) return {};
                             if (!S_ISREG(facts.st_mode) || facts.st_mtim.tv_sec > now.st_mtim.tv_sec - kDay) return {};
                             if (::unlinkat(directory_fd, entry, 0) == 0) ++removed;
                             return {};
                           });
  };
  const auto clean_if_there = [&](const std::string& directory) -> Status {
    Status status = clean(directory);
    if (!status && status.error().os_error() == ENOENT) return {};
    return status;
  };
  for (const std::string_view space : kNamespaces) {
    if (!permits(space, "D")) continue;
    CAIRN_CHECKED(clean_if_there(std::string(space)));
  }
  if (!permits("packs", "D")) return removed;
  for (int i = 0; i < 256; ++i) CAIRN_CHECKED(clean_if_there(fmt::format("packs/{:02x}", i)));
  return removed;
}

}  // namespace

std::unique_ptr<Store> make_posix_store(std::string path, PosixOptions options) {
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(path, error);
  return std::make_unique<PosixStore>(error ? std::move(path) : absolute.string(), options);
}

}  // namespace cairn::store
