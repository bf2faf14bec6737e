#include "cli/repo_info_command.h"

#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "chunk/params.h"
#include "cli/json_output.h"
#include "cli/repository_json.h"
#include "cli/session.h"
#include "compress/spec.h"
#include "ops/repository_cache.h"

namespace cairn::cli {
namespace {

// "Yes (repokey, aes256-ocb, sha256)", "No (repokey, authenticated-blake3)".
std::string encryption_text(const repo::Repository& repository) {
  const crypt::Suite& suite = repository.suite();
  std::string text = fmt::format("{} ({}, {}", suite.encrypts() ? "Yes" : "No",
                                 repository.key().in_repository ? "repokey" : "keyfile", suite.encryption());
  if (suite.encrypts()) text += fmt::format(", {}", suite.id_hash_name());
  if (repository.empty_passphrase()) text += ", empty passphrase";
  text += ')';
  if (!repository.key().in_repository) text += fmt::format("\nKey file: {}", repository.key().path);
  return text;
}

}  // namespace

Status run_repo_info(const RepoInfoOptions& options, Context& context) {
  CAIRN_TRY(Session session, open_session(context, repo::LockMode::Reading));
  repo::Repository& repository = *session.repository;
  CAIRN_TRY(const repo::Defaults defaults, repository.defaults());
  const std::string compression = defaults.compression.value_or(compress::Spec{}.text());
  const std::string chunker_params = defaults.chunker_params.value_or(chunk::Params{}.text());
  const std::string security = repo::security_path(repository.id());
  if (options.json) {
    nlohmann::json document = {{"security_dir", security}};
    document["defaults"] = {{"compression", compression}, {"chunker_params", chunker_params}};
    add_repository_json(repository, WithCache::Yes, document);
    write_json(context.output, document);
    return repository.close();
  }
  const auto origin = [](const std::optional<std::string>& value) { return value ? "" : " (built-in)"; };
  context.output.write(context.output.out_text(
      fmt::format("Repository ID: {}\n"
                  "Location: {}\n"
                  "Repository version: {}\n"
                  "Encrypted: {}\n"
                  "Security directory: {}\n"
                  "Default compression: {}{}\n"
                  "Default chunker params: {}{}\n"
                  "Cache: {}\n\n",
                  repository.id().hex(), repository.location(), repo::kRepositoryVersion, encryption_text(repository),
                  security, compression, origin(defaults.compression), chunker_params, origin(defaults.chunker_params),
                  ops::repository_cache_path(repository.id()))));
  return repository.close();
}

}  // namespace cairn::cli
