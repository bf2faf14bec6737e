// Every call finds the open directory that its path names (held in a cache, else walked to without following links) and
// then works on one name in it, so no path is ever resolved by the kernel across a place that others can change.
#include "fs/target.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <ctime>

#include <fmt/format.h>

#include "fs/beneath.h"
#include "fs/change_mode.h"
#include "fs/directory_cache.h"
#include "fs/removal.h"
#include "fs/restore_attributes.h"

namespace cairn::fs {
namespace {

// Of the process's descriptors an eighth, so that plenty are left for files, packs and connections.
std::size_t cache_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 32;
  return std::clamp<std::size_t>(limit.rlim_cur / 8, 8, 512);
}

Error symlink_parent(const std::string& path) {
  return {Code::BackupSymlinkParent,
          fmt::format("{}: not extracted, a parent directory is a symlink (malicious or corrupted archive)", path)};
}

// Without empty and "." components; empty is the root itself.
Result<std::string> normalize(const std::string& path) {
  // The kernel would stop reading there and see another path than we.
  if (path.find('\0') != std::string::npos) return fail(os_error(EINVAL, path));
  std::string out;
  out.reserve(path.size());
  for (std::string_view rest = path; !rest.empty();) {
    const std::size_t slash = rest.find('/');
    const std::string_view component = rest.substr(0, slash);
    rest.remove_prefix(slash == std::string_view::npos ? rest.size() : slash + 1);
    if (component.empty() || component == ".") continue;
    if (component == "..") {
      return fail(Code::BackupPathTraversal,
                  fmt::format("{}: not extracted, path contains \"../\" (malicious or corrupted archive)", path));
    }
    if (!out.empty()) out += '/';
    out += component;
  }
  return out;
}

// The clock that stamps files, less what the coarsest of file systems may cut off.
std::int64_t just_now() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME_COARSE, &now);
  return std::int64_t{now.tv_sec} - 2;
}

// The name with small letters for capitals and the other way round (ASCII only).
std::string with_other_letters(std::string name) {
  for (char& c : name) {
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) c = static_cast<char>(c ^ 0x20);
  }
  return name;
}

enum class Parents { Keep, Create };

// A name in an open directory: what the *at calls take.
struct Spot {
  SharedDirectory directory;
  std::string_view parent;  // path of `directory`
  std::string name;
  bool from_cache = false;
  int fd() const { return directory->get(); }
};

}  // namespace

struct Target::State {
  explicit State(Fd directory) : root(std::make_shared<const Fd>(std::move(directory))), cache(cache_limit()) {}

  SharedDirectory root;
  DirectoryCache cache;
  const std::int64_t opened_at = just_now();
  std::atomic<int> listings_left{1000};

  // Two names of one archive may be one on a file system that is not particular about letters or composed characters.
  // What this run has made under the other name must not be lost without a word.
  bool is_new_under_another_name(const Spot& spot, const struct stat& there) {
    if (there.st_ctim.tv_sec < opened_at) return false;
    const bool ascii = std::ranges::none_of(spot.name, [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
    struct stat other{};
    const bool lenient =
        ::fstatat(spot.fd(), with_other_letters(spot.name).c_str(), &other, AT_SYMLINK_NOFOLLOW) == 0 &&
        other.st_dev == there.st_dev && other.st_ino == there.st_ino;
    if (ascii && !lenient) return false;
    if (listings_left.fetch_sub(1) <= 0) return lenient;
    const Fd directory(::openat(spot.fd(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!directory) return lenient;
    const auto entries = read_directory(directory.get(), spot.name);
    return entries && std::ranges::none_of(*entries, [&](const DirEntry& entry) { return entry.name == spot.name; });
  }

  // The open directory `path` (normalized).
  Result<SharedDirectory> directory(std::string_view path, Parents parents, const std::string& shown) {
    // Mostly the parent is held; farther up it is not worth hashing ever shorter prefixes of a hostile path.
    SharedDirectory base = root;
    std::string_view rest = path;
    std::string_view prefix = path;
    for (int level = 0; level < 16; ++level) {
      const std::size_t slash = prefix.rfind('/');
      if (slash == std::string_view::npos) break;
      prefix = prefix.substr(0, slash);
      if (SharedDirectory held = cache.find(prefix)) {
        base = std::move(held);
        rest.remove_prefix(slash + 1);
        break;
      }
    }
    const bool create = parents == Parents::Create;
    Fd fd = open_beneath(base->get(), rest, create);
    if (!fd && (errno == EMFILE || errno == ENFILE)) {
      cache.drop_all();
      fd = open_beneath(base->get(), rest, create);
    }
    if (!fd && errno == ENOENT && base != root) {
      // The directory that we held has been removed; another one may have its name by now.
      cache.drop(prefix);
      fd = open_beneath(root->get(), path, create);
    }
    if (!fd) {
      if (errno == ELOOP || errno == ENOTDIR || errno == EXDEV) return fail(symlink_parent(shown));
      return fail(os_error(errno, shown));
    }
    auto opened = std::make_shared<const Fd>(std::move(fd));
    cache.add(path, opened);
    return opened;
  }

  // `normal` must outlive the result.
  Result<Spot> spot(const std::string& normal, Parents parents, const std::string& shown) {
    const std::size_t slash = normal.rfind('/');
    if (slash == std::string::npos) return Spot{root, {}, normal.empty() ? "." : normal, false};
    const std::string_view parent = std::string_view(normal).substr(0, slash);
    std::string name = normal.substr(slash + 1);
    if (SharedDirectory held = cache.find(parent)) return Spot{std::move(held), parent, std::move(name), true};
    CAIRN_TRY(SharedDirectory opened, directory(parent, parents, shown));
    return Spot{std::move(opened), parent, std::move(name), false};
  }

  // Runs `make(spot)`, which returns 0 or an errno, in the parent of `path`. A parent that was held open and has been
  // removed meanwhile is looked for once more.
  template <class Make>
  Status create(const std::string& path, Make make) {
    CAIRN_TRY(const std::string normal, normalize(path));
    CAIRN_TRY(const Spot first, spot(normal, Parents::Create, path));
    int error = make(first);
    if (error == ENOENT && first.from_cache) {
      cache.drop(first.parent);
      CAIRN_TRY(const Spot second, spot(normal, Parents::Create, path));
      error = make(second);
    }
    if (error != 0) return fail(os_error(error, path));
    return {};
  }
};

Target::Target(std::unique_ptr<State> state) : state_(std::move(state)) {}
Target::~Target() = default;

Result<std::unique_ptr<Target>> Target::open(const std::string& path) {
  CAIRN_TRY(Fd root, open_path_directory(path, true, path));
  return std::unique_ptr<Target>(new Target(std::make_unique<State>(std::move(root))));
}

Result<std::optional<Stat>> Target::stat(const std::string& path) {
  CAIRN_TRY(const std::string normal, normalize(path));
  // A held directory that has been removed answers ENOENT too, which is the truth unless it was made anew.
  for (bool again = true;;) {
    auto spot = state_->spot(normal, Parents::Keep, path);
    if (!spot) {
      if (spot.error().os_error() == ENOENT) return std::nullopt;
      return fail(std::move(spot).error());
    }
    auto found = stat_at(spot->fd(), spot->name, false, path);
    if (found) return *found;
    if (found.error().os_error() != ENOENT) return fail(std::move(found).error());
    if (!spot->from_cache || !again) return std::nullopt;
    again = false;
    struct stat st{};
    if (::fstat(spot->fd(), &st) == 0 && st.st_nlink > 0) return std::nullopt;
    state_->cache.drop(spot->parent);
  }
}

void Target::clear(const std::string& path, bool keep_directory) {
  const auto normal = normalize(path);
  if (!normal || normal->empty()) return;
  const auto spot = state_->spot(*normal, Parents::Keep, path);
  if (!spot) return;
  struct stat there{};
  if (::fstatat(spot->fd(), spot->name.c_str(), &there, AT_SYMLINK_NOFOLLOW) != 0) return;
  if (S_ISDIR(there.st_mode) && keep_directory) return;
  if (state_->is_new_under_another_name(*spot, there)) return;
  if (::unlinkat(spot->fd(), spot->name.c_str(), 0) == 0 || errno == ENOENT) return;
  if (::unlinkat(spot->fd(), spot->name.c_str(), AT_REMOVEDIR) == 0) state_->cache.drop(*normal);
}

void Target::remove_unwanted(bool dry_run, RemovalObserver& observer) {
  remove_unwanted_below(state_->root->get(), dry_run, observer);
  state_->cache.drop_all();
}

Result<Fd> Target::open_file(const std::string& path) {
  CAIRN_TRY(const std::string normal, normalize(path));
  CAIRN_TRY(const Spot spot, state_->spot(normal, Parents::Keep, path));
  return fs::open_file(spot.fd(), spot.name, path);
}

Result<std::string> Target::link_target(const std::string& path) {
  CAIRN_TRY(const std::string normal, normalize(path));
  CAIRN_TRY(const Spot spot, state_->spot(normal, Parents::Keep, path));
  return read_link(spot.fd(), spot.name, path);
}

Result<Attributes> Target::attributes(const std::string& path, const Stat& stat, const AttributeOptions& options) {
  CAIRN_TRY(const std::string normal, normalize(path));
  CAIRN_TRY(const Spot spot, state_->spot(normal, Parents::Keep, path));
  return read_attributes(-1, spot.fd(), spot.name, stat, options, path);
}

void Target::open_to_owner(const std::string& path) {
  const auto normal = normalize(path);
  if (!normal) return;
  const auto spot = state_->spot(*normal, Parents::Keep, path);
  if (!spot) return;
  const Fd directory(::openat(spot->fd(), spot->name.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (directory) static_cast<void>(give_owner_access(directory.get()));
}

Status Target::make_directory(const std::string& path) {
  return state_->create(path, [](const Spot& spot) {
    if (::mkdirat(spot.fd(), spot.name.c_str(), 0777) == 0) return 0;
    if (errno != EEXIST) return errno;
    struct stat st{};
    if (::fstatat(spot.fd(), spot.name.c_str(), &st, AT_SYMLINK_NOFOLLOW) != 0) return errno;
    return S_ISDIR(st.st_mode) ? 0 : EEXIST;
  });
}

Result<Fd> Target::create_file(const std::string& path) {
  Fd file;
  CAIRN_CHECKED(state_->create(path, [&](const Spot& spot) {
    constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC;
    file = Fd(::openat(spot.fd(), spot.name.c_str(), kFlags, 0600));
    return file ? 0 : errno;
  }));
  return file;
}

Status Target::make_symlink(const std::string& path, const std::string& target) {
  if (target.find('\0') != std::string::npos) return fail(os_error(EINVAL, path));
  return state_->create(path, [&](const Spot& spot) {
    // Here ENOENT would mean the empty target as well as a missing directory.
    if (target.empty()) return EINVAL;
    return ::symlinkat(target.c_str(), spot.fd(), spot.name.c_str()) == 0 ? 0 : errno;
  });
}

Status Target::make_fifo(const std::string& path, std::uint32_t mode) {
  return state_->create(
      path, [&](const Spot& spot) { return ::mkfifoat(spot.fd(), spot.name.c_str(), mode & 0777U) == 0 ? 0 : errno; });
}

Status Target::make_device(const std::string& path, std::uint32_t mode, std::uint64_t rdev) {
  if (!S_ISBLK(mode) && !S_ISCHR(mode)) return fail(os_error(EINVAL, path));
  return state_->create(path, [&](const Spot& spot) {
    return ::mknodat(spot.fd(), spot.name.c_str(), mode & (S_IFMT | 0777U), rdev) == 0 ? 0 : errno;
  });
}

Status Target::make_link(const std::string& path, const std::string& existing) {
  CAIRN_TRY(const std::string source, normalize(existing));
  CAIRN_TRY(const Spot from, state_->spot(source, Parents::Keep, existing));
  return state_->create(path, [&](const Spot& spot) {
    return ::linkat(from.fd(), from.name.c_str(), spot.fd(), spot.name.c_str(), 0) == 0 ? 0 : errno;
  });
}

Result<bool> Target::set_attributes(const std::string& path, int fd, const RestoreAttributes& attributes) {
  if (fd >= 0) return restore_attributes(fd, -1, {}, attributes, path);
  CAIRN_TRY(const std::string normal, normalize(path));
  CAIRN_TRY(const Spot spot, state_->spot(normal, Parents::Keep, path));
  return restore_attributes(-1, spot.fd(), spot.name, attributes, path);
}

}  // namespace cairn::fs
