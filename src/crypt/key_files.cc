// Key files; see the header.
#include "crypt/key_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <memory>

#include "base/env.h"
#include "base/fd.h"
#include "base/small_file.h"
#include "base/user_dirs.h"
#include "crypt/key_blob.h"
#include "crypt/key_material.h"

namespace cairn::crypt {

namespace {

// Borg looks at this many bytes to recognise a key and a key has less than a tenth of it.
constexpr std::size_t kMaxKeyFile = 10000;

std::string absolute(const std::string& path) {
  if (path.starts_with('/')) return path;
  const std::unique_ptr<char, decltype(&std::free)> here(::getcwd(nullptr, 0), &std::free);
  return here ? std::string(here.get()) + "/" + path : path;
}

std::string directory_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

// The first bytes of a regular file; nothing for anything else. Opening must not wait for the other end of a pipe.
Result<std::optional<std::string>> read_regular(const std::string& path) {
  const Fd fd(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
  if (!fd) return fail(os_error(errno, path));
  struct stat status{};
  if (::fstat(fd.get(), &status) != 0) return fail(os_error(errno, path));
  if (!S_ISREG(status.st_mode)) return std::optional<std::string>();
  CAIRN_TRY(std::string text, read_up_to(fd, kMaxKeyFile, path));
  return std::optional<std::string>(std::move(text));
}

// As Borg checks a file before it uses it: the header fits and the rest is base64.
bool fits(std::string_view text, const RepositoryId& repository) {
  const auto body = key_blob_body(text, repository);
  return body.has_value();
}

Result<KeyFile> load_explicit(const std::string& path, const RepositoryId& repository, const std::string& location) {
  CAIRN_TRY(std::optional<std::string> text, read_regular(path));
  if (text && text->starts_with("BORG_KEY ") && !names_repository(*text, repository))
    return fail(Code::KeyfileMismatch, "Mismatch between repository " + location + " and key file " + path + ".");
  if (!text || !fits(*text, repository))
    return fail(Code::KeyfileInvalid, "Invalid key data for repository " + location + " found in " + path + ".");
  return KeyFile{path, std::move(*text)};
}

Result<std::vector<std::string>> names_in(const std::string& directory) {
  std::vector<std::string> names;
  const std::unique_ptr<DIR, int (*)(DIR*)> open(::opendir(directory.c_str()), &::closedir);
  if (!open) {
    if (errno == ENOENT) return names;
    return fail(os_error(errno, directory));
  }
  errno = 0;
  while (const dirent* entry = ::readdir(open.get())) names.emplace_back(entry->d_name);
  if (errno != 0) return fail(os_error(errno, directory));
  std::ranges::sort(names);
  return names;
}

Status write_all(int fd, Bytes bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return fail(os_error(errno, path));
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return {};
}

Status sync_directory(const std::string& directory) {
  const Fd fd(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd) return fail(os_error(errno, directory));
  // EINVAL: a file system whose directories cannot be synced.
  if (::fsync(fd.get()) != 0 && errno != EINVAL) return fail(os_error(errno, directory));
  return {};
}

// Fills, syncs and renames; whatever fails, the caller removes `temporary`.
Status write_and_rename(Fd fd, const std::string& temporary, const std::string& path, std::string_view text,
                        IfExists if_exists) {
  CAIRN_CHECKED(write_all(fd.get(), bytes_of(text), temporary));
  if (::fsync(fd.get()) != 0) return fail(os_error(errno, temporary));
  if (const int problem = fd.close(); problem != 0) return fail(os_error(problem, temporary));
  if (if_exists == IfExists::Replace) {
    if (::rename(temporary.c_str(), path.c_str()) != 0) return fail(os_error(errno, path));
    return {};
  }
  // link, unlike rename, never replaces what somebody else put there in between.
  if (::link(temporary.c_str(), path.c_str()) != 0) {
    if (errno == EEXIST) return fail(Code::Error, "Aborting because key in \"" + path + "\" already exists.");
    // File systems without hard links.
    struct stat status{};
    if (::lstat(path.c_str(), &status) == 0)
      return fail(Code::Error, "Aborting because key in \"" + path + "\" already exists.");
    if (::rename(temporary.c_str(), path.c_str()) != 0) return fail(os_error(errno, path));
    return {};
  }
  if (::unlink(temporary.c_str()) != 0) return fail(os_error(errno, temporary));
  return {};
}

}  // namespace

std::optional<std::string> explicit_key_file() {
  auto path = env_nonempty("BORG_KEY_FILE");
  if (path) path = absolute(*path);
  return path;
}

Result<std::vector<KeyFile>> find_key_files(const RepositoryId& repository, const std::string& location) {
  std::vector<KeyFile> found;
  if (const auto path = explicit_key_file()) {
    CAIRN_TRY(KeyFile file, load_explicit(*path, repository, location));
    found.push_back(std::move(file));
    return found;
  }
  const std::string directory = keys_dir();
  CAIRN_TRY(const std::vector<std::string> names, names_in(directory));
  for (const std::string& name : names) {
    std::string path = directory + "/" + name;
    auto text = read_regular(path);
    // What cannot be read, or is not ours, is none of our business.
    if (text && *text && fits(**text, repository)) found.push_back({std::move(path), std::move(**text)});
  }
  return found;
}

std::string new_key_file_path(std::string_view text) {
  if (auto path = explicit_key_file()) return *path;
  return keys_dir() + "/" + key_id(text);
}

Result<std::string> import_key_file_path(std::string_view text, const RepositoryId& repository,
                                         const std::string& location) {
  if (auto path = explicit_key_file()) return *path;
  CAIRN_TRY(const std::vector<KeyFile> existing, find_key_files(repository, location));
  return existing.empty() ? new_key_file_path(text) : existing.front().path;
}

Status write_key_file(const std::string& path, std::string_view text, IfExists if_exists) {
  const std::string directory = directory_of(path);
  if (directory == keys_dir()) CAIRN_CHECKED(ensure_directory(directory));
  std::string temporary = path + ".tmp-XXXXXX";
  Fd fd(::mkostemp(temporary.data(), O_CLOEXEC));  // mode 0600
  if (!fd) return fail(os_error(errno, path));
  const Status written = write_and_rename(std::move(fd), temporary, path, text, if_exists);
  if (!written) {
    ::unlink(temporary.c_str());
    return fail(written.error().clone());
  }
  return sync_directory(directory);
}

Status erase_key_file(const std::string& path) {
  {
    const Fd fd(::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW));
    struct stat status{};
    // A link to a key, or a key that may not be written, is just removed.
    if (fd && ::fstat(fd.get(), &status) == 0 && S_ISREG(status.st_mode) && status.st_nlink == 1) {
      std::array<std::byte, 4096> noise;
      for (auto left = static_cast<std::uint64_t>(status.st_size); left > 0;) {
        const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(left, noise.size()));
        random_bytes(noise);
        CAIRN_CHECKED(write_all(fd.get(), Bytes(noise).first(count), path));
        left -= count;
      }
      if (::fsync(fd.get()) != 0) return fail(os_error(errno, path));
    }
  }
  if (::unlink(path.c_str()) != 0) return fail(os_error(errno, path));
  return sync_directory(directory_of(path));
}

bool is_in_keys_dir(const std::string& path) {
  struct stat own{};
  struct stat keys{};
  return ::stat(directory_of(path).c_str(), &own) == 0 && ::stat(keys_dir().c_str(), &keys) == 0 &&
         own.st_dev == keys.st_dev && own.st_ino == keys.st_ino;
}

}  // namespace cairn::crypt
