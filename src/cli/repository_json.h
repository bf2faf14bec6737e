// The part that all JSON documents about a repository share: repository, encryption, cache.
// Source: docs/format (cli, section 9).
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "repo/repository.h"

namespace cairn::cli {

enum class WithCache { No, Yes };
void add_repository_json(const repo::Repository& repository, WithCache cache, nlohmann::json& document);

}  // namespace cairn::cli
