#include "cli/repository_json.h"

#include <nlohmann/json.hpp>

#include "ops/repository_cache.h"

namespace cairn::cli {

void add_repository_json(const repo::Repository& repository, WithCache cache, nlohmann::json& document) {
  document["repository"] = {{"id", repository.id().hex()}, {"location", repository.location()}};
  nlohmann::json encryption = {{"encryption", repository.suite().encryption()},
                               {"id_hash", repository.suite().id_hash_name()}};
  if (!repository.key().in_repository) encryption["keyfile"] = repository.key().path;
  document["encryption"] = std::move(encryption);
  if (cache == WithCache::Yes) document["cache"] = {{"path", ops::repository_cache_path(repository.id())}};
}

}  // namespace cairn::cli
