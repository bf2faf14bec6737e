#include "ops/repository_cache.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/env.h"
#include "base/fd.h"
#include "base/user_dirs.h"
#include "hash/blake3.h"

namespace cairn::ops {
namespace {
constexpr std::string_view kTag =
    "Signature: 8a477f597d28d172789f06886806bc55\n"
    "# This directory holds caches of backup repositories. Everything in it can be made again.\n";
}

std::string repository_cache_path(const RepositoryId& id) { return cache_dir() + "/" + id.hex(); }

std::string own_cache_path(const RepositoryId& id) { return cache_dir() + "/cairn/" + id.hex(); }

Result<std::string> ensure_own_cache(const RepositoryId& id) {
  const std::string path = own_cache_path(id);
  CAIRN_CHECKED(ensure_directory(path));
  const Fd tag(::open((cache_dir() + "/CACHEDIR.TAG").c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (tag) (void)!::write(tag.get(), kTag.data(), kTag.size());  // a hint to others; nothing depends on it
  return path;
}

std::string files_cache_name(std::string_view archive_name) {
  const auto suffix = env_nonempty("BORG_FILES_CACHE_SUFFIX");
  return "files." + (suffix ? *suffix : hash::blake3(bytes_of(archive_name)).hex());
}

}  // namespace cairn::ops
