#include "repo/security.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>

#include <fmt/format.h>

#include "base/fd.h"
#include "base/log.h"
#include "base/small_file.h"
#include "base/user_dirs.h"

namespace cairn::repo {
namespace {

std::optional<std::string> read_small_file(const std::string& path) {
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return std::nullopt;
  auto read = read_up_to(fd, 16384, path);
  if (!read) return std::nullopt;
  std::string text = std::move(*read);
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  return text;
}

}  // namespace

std::string security_path(const RepositoryId& id) { return security_dir() + "/" + id.hex(); }

std::optional<SecurityRecord> load_security_record(const RepositoryId& id) {
  const std::string directory = security_path(id);
  const auto location = read_small_file(directory + "/location");
  const auto type = read_small_file(directory + "/key-type");
  if (!location || !type) return std::nullopt;
  SecurityRecord record{.location = *location, .key_type = 0};
  const auto [end, error] = std::from_chars(type->data(), type->data() + type->size(), record.key_type);
  if (error != std::errc() || end != type->data() + type->size()) return std::nullopt;
  return record;
}

Status remember(const RepositoryId& id, const SecurityRecord& record) {
  const std::string directory = security_path(id);
  CAIRN_CHECKED(ensure_directory(directory));
  // Never an empty record, even after a crash: it would count as "unknown".
  CAIRN_CHECKED(replace_file(directory + "/location", record.location, Synced::Yes));
  return replace_file(directory + "/key-type", std::to_string(record.key_type), Synced::Yes);
}

Status forget(const RepositoryId& id) {
  const std::string directory = security_path(id);
  for (const char* name : {"/location", "/key-type", "/manifest-timestamp"}) {
    if (::unlink((directory + name).c_str()) != 0 && errno != ENOENT) return fail(os_error(errno, directory + name));
  }
  if (::rmdir(directory.c_str()) != 0 && errno != ENOENT && errno != ENOTEMPTY) return fail(os_error(errno, directory));
  return {};
}

Status check_security(const RepositoryId& id, const SecurityRecord& now, const std::string& unencrypted_reason,
                      const Confirm& confirm) {
  const auto known = load_security_record(id);
  log(Level::Debug, "borg.security",
      known ? fmt::format("security: read previous location {}", known->location)
            : fmt::format("security: no previous location of repository {}", id.hex()));
  if (!known && !unencrypted_reason.empty()) {
    const Question question{
        "BORG_UNKNOWN_UNENCRYPTED_REPO_ACCESS_IS_OK",
        fmt::format("Warning: Attempting to access a previously unknown unencrypted repository!\n{}\n"
                    "Do you want to continue? [yN] ",
                    unencrypted_reason)};
    if (!confirm(question)) return fail(Code::CacheInitAborted, "Cache initialization aborted");
  }
  if (known && known->location != now.location) {
    const Question question{"BORG_RELOCATED_REPO_ACCESS_IS_OK",
                            fmt::format("Warning: The repository at location {} was previously located at {}\n"
                                        "Do you want to continue? [yN] ",
                                        now.location, known->location)};
    if (!confirm(question)) return fail(Code::RepositoryAccessAborted, "Repository access aborted");
  }
  if (known && known->key_type != now.key_type) {
    return fail(Code::EncryptionMethodMismatch,
                "Repository encryption method changed since last access, refusing to continue");
  }
  if (!known || known->location != now.location) return remember(id, now);
  return {};
}

}  // namespace cairn::repo
