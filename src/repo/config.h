// config/config (what makes a store a repository) and config/defaults (the repository's default options).
//
// Errors    InvalidRepositoryConfig, InvalidRepository (another version), KeyInfoMissing, DefaultsMissing, Integrity.
// Source    docs/format (repository, sections 2.2 and 2.3; crypto, section 1).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/buffer.h"
#include "base/bytes.h"
#include "base/error.h"
#include "crypt/suite.h"

namespace cairn::repo {

constexpr int kRepositoryVersion = 5;

struct Config {
  RepositoryId id;
  std::optional<crypt::Suite> suite;  // absent in a config without both entries: opens, but no key can be loaded
};

std::string encode_config(const RepositoryId& id, const crypt::Suite& suite);
// `location` is for messages.
Result<Config> parse_config(std::string_view text, const std::string& location);

struct Defaults {
  std::optional<std::string> compression;  // in the spelling of the command line options
  std::optional<std::string> chunker_params;
};
Buffer encode_defaults(const Defaults& defaults);
Result<Defaults> decode_defaults(Bytes bytes, const std::string& location);

}  // namespace cairn::repo
