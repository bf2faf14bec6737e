// How a command that makes objects compresses and cuts: its option, else the repository's default, else the built-in
// one.
// Errors    those of the options; InvalidRepositoryConfig for a default that makes no sense; DefaultsMissing.
#pragma once

#include <optional>
#include <string>

#include "chunk/params.h"
#include "compress/spec.h"
#include "repo/repository.h"

namespace cairn::cli {

Result<compress::Spec> choose_compression(const std::optional<std::string>& option, repo::Repository& repository);
// "default" is as good as no option.
Result<chunk::Params> choose_chunker(const std::optional<std::string>& option, repo::Repository& repository);

}  // namespace cairn::cli
