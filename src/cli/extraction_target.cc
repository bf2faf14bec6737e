#include "cli/extraction_target.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "base/user_dirs.h"

namespace cairn::cli {
namespace {

// Nothing and errno if it cannot be read.
std::optional<bool> is_empty(const std::string& path) {
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(::opendir(path.c_str()), ::closedir);
  if (directory == nullptr) return std::nullopt;
  while (const dirent* entry = ::readdir(directory.get())) {  // NOLINT(concurrency-mt-unsafe): a stream of our own
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") return false;
  }
  return true;
}

// Without links; of what is not there, as far as it is.
std::string real_path(std::string path) {
  std::string missing;
  for (;;) {
    if (const std::unique_ptr<char, void (*)(void*)> real(::realpath(path.c_str(), nullptr), std::free);
        real != nullptr) {
      return real.get() + missing;
    }
    const std::size_t slash = path.rfind('/');
    if (slash == std::string::npos || slash == 0) return path + missing;
    missing.insert(0, path.substr(slash));
    path.resize(slash);
  }
}

bool lies_in(const std::string& path, const std::string& directory) {
  if (directory == "/") return true;
  return path.starts_with(directory) && (path.size() == directory.size() || path[directory.size()] == '/');
}

}  // namespace

Status require_empty_working_directory() {
  if (is_empty(".").value_or(true)) return {};
  std::string cwd(4096, '\0');
  const char* where = ::getcwd(cwd.data(), cwd.size());
  return fail(
      Code::ExtractionDirNotEmpty,
      fmt::format("Extraction directory {} is not empty. Use --continue to extract into a non-empty directory: "
                  "existing files that differ from the archived files will be replaced and the result will be a "
                  "mix of existing and extracted files.",
                  where == nullptr ? "." : where));
}

Status require_empty_target(const std::string& directory, const std::string& advice) {
  const auto empty = is_empty(directory);
  if (!empty && errno != ENOENT) return fail(os_error(errno, directory));
  if (empty.value_or(true)) return {};
  return fail(Code::Error, fmt::format("The target directory {} is not empty. {}", directory, advice));
}

Status make_target(const std::string& directory) { return ensure_directory(directory, 0777); }

Status require_apart(const std::string& directory, const store::Location& repository) {
  if (repository.kind != store::LocationKind::Local) return {};
  const std::string target = real_path(directory.starts_with('/') ? directory : "./" + directory);
  const std::string store = real_path(repository.path);
  if (!lies_in(store, target) && !lies_in(target, store)) return {};
  return fail(Code::Error, fmt::format("--delete is refused: the target directory {} and the repository {} lie one in "
                                       "the other.",
                                       directory, repository.path));
}

}  // namespace cairn::cli
