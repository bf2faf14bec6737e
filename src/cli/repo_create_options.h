// Options of `repo-create`. Source: docs/format (cli, section 10.1).
#pragma once

#include <optional>
#include <string>

#include "cli/option_table.h"

namespace cairn::cli {

struct RepoCreateOptions {
  std::string other_repo;  // empty: none
  bool from_borg1 = false;
  std::string encryption;              // mode name
  std::optional<std::string> id_hash;  // "sha256" or "blake3"
  std::string key_location = "repokey";
  std::optional<std::string> compression, chunker_params;  // repository defaults, checked
  bool copy_crypt_key = false;
};

extern const Command kRepoCreate;

}  // namespace cairn::cli
