#include "cli/methods.h"

#include <fmt/format.h>

namespace cairn::cli {
namespace {

Error invalid_default(const repo::Repository& repository, std::string_view what, const std::string& text) {
  return {Code::InvalidRepositoryConfig,
          fmt::format("{} does not have a valid config. Check the repository config [invalid default {} '{}'].",
                      repository.location(), what, text)};
}

}  // namespace

Result<compress::Spec> choose_compression(const std::optional<std::string>& option, repo::Repository& repository) {
  if (option) return compress::parse_spec(*option);
  CAIRN_TRY(const repo::Defaults defaults, repository.defaults());
  if (!defaults.compression) return compress::Spec();
  auto spec = compress::parse_spec(*defaults.compression);
  if (!spec) return fail(invalid_default(repository, "compression", *defaults.compression));
  return spec;
}

Result<chunk::Params> choose_chunker(const std::optional<std::string>& option, repo::Repository& repository) {
  if (option && *option != "default") return chunk::parse_params(*option);
  CAIRN_TRY(const repo::Defaults defaults, repository.defaults());
  chunk::Params fallback;
  if (defaults.chunker_params) {
    auto params = chunk::parse_params(*defaults.chunker_params);
    if (!params) return fail(invalid_default(repository, "chunker params", *defaults.chunker_params));
    fallback = *params;
  }
  return fallback;
}

}  // namespace cairn::cli
