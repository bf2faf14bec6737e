#include "ops/delete_repository.h"

#include <filesystem>
#include <system_error>

#include "ops/repository_cache.h"

namespace cairn::ops {

Status delete_repository(repo::Repository& repository) {
  CAIRN_CHECKED(repository.check_lock());
  CAIRN_CHECKED(repository.store().remove("config/config"));
  CAIRN_CHECKED(repository.store().sync());
  // A lock that is refreshed during a long deletion would write into the store that goes away.
  CAIRN_CHECKED(repository.close());
  return repository.store().destroy();
}

Status delete_caches(const RepositoryId& id) {
  for (const std::string& path : {own_cache_path(id), repository_cache_path(id)}) {
    std::error_code error;
    std::filesystem::remove_all(path, error);
    if (error) return fail(os_error(error.value(), path));
  }
  return {};
}

Result<bool> looks_like_repository(store::Store& store) {
  for (const char* space : {"packs", "archives", "index", "config"}) {
    CAIRN_TRY(const store::Info info, store.info(space));
    if (!info.exists || !info.directory) return false;
  }
  return true;
}

}  // namespace cairn::ops
