// Per-user directories as XDG places them; see the header.
#include "base/user_dirs.h"

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "base/env.h"

namespace cairn {

namespace {

std::string joined(std::string directory, const char* name) {
  if (!directory.ends_with('/')) directory += '/';
  return directory += name;
}

// `below_home` is both the place below BORG_BASE_DIR and, without the last part, the XDG default below the home.
std::string placed(const char* own_variable, const char* xdg_variable, const char* below_home) {
  if (auto own = env_nonempty(own_variable)) return *own;
  if (auto base = env_nonempty("BORG_BASE_DIR")) return joined(*base, below_home);
  if (auto xdg = env_nonempty(xdg_variable)) return joined(*xdg, "borg");
  return joined(home_dir(), below_home);
}

}  // namespace

std::string home_dir() {
  if (auto home = env_nonempty("HOME")) return *home;
  std::vector<char> space(16384);
  passwd entry{};
  passwd* found = nullptr;
  if (::getpwuid_r(::getuid(), &entry, space.data(), space.size(), &found) == 0 && found != nullptr &&
      found->pw_dir != nullptr && *found->pw_dir != '\0')
    return found->pw_dir;
  return "/";
}

std::string config_dir() { return placed("BORG_CONFIG_DIR", "XDG_CONFIG_HOME", ".config/borg"); }
std::string cache_dir() { return placed("BORG_CACHE_DIR", "XDG_CACHE_HOME", ".cache/borg"); }
std::string data_dir() { return placed("BORG_DATA_DIR", "XDG_DATA_HOME", ".local/share/borg"); }

std::string runtime_dir() {
  if (auto own = env_nonempty("BORG_RUNTIME_DIR")) return *own;
  if (auto base = env_nonempty("BORG_BASE_DIR")) return joined(*base, ".cache/borg");
  if (auto xdg = env_nonempty("XDG_RUNTIME_DIR")) return joined(*xdg, "borg");
  // A login session would have named it. Without one, the usual place if it is ours, else a private one.
  const std::string user = std::to_string(::getuid());
  if (const std::string usual = "/run/user/" + user; ::access(usual.c_str(), W_OK) == 0) return joined(usual, "borg");
  return "/tmp/runtime-" + user + "/borg";
}

std::string keys_dir() {
  if (auto own = env_nonempty("BORG_KEYS_DIR")) return *own;
  return joined(config_dir(), "keys");
}

std::string security_dir() {
  if (auto own = env_nonempty("BORG_SECURITY_DIR")) return *own;
  return joined(data_dir(), "security");
}

Status ensure_directory(const std::string& path, mode_t mode) {
  if (path.empty()) return fail(os_error(ENOENT, path));
  // Every prefix that ends before a slash, then the whole.
  for (std::size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    const std::string prefix = path.substr(0, end);
    if (::mkdir(prefix.c_str(), mode) != 0) {
      const int problem = errno;
      struct stat status{};
      // Some systems say EROFS, EACCES or EISDIR for a directory that is there.
      const bool is_there = ::stat(prefix.c_str(), &status) == 0;
      if (!is_there) return fail(os_error(problem, prefix));
      if (!S_ISDIR(status.st_mode)) return fail(os_error(ENOTDIR, prefix));
    }
    if (end == std::string::npos) return {};
  }
}

}  // namespace cairn
