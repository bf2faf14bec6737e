#include "repo/config.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "msgpack/reader.h"
#include "msgpack/writer.h"

namespace cairn::repo {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\f\v";
  const auto first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::string lowered(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return out;
}

// INI as far as the file uses it: sections, comments, "key = value" or "key: value", no duplicates.
Result<std::map<std::string, std::string>> repository_section(std::string_view text, const std::string& location) {
  auto invalid = [&](std::string_view why) {
    return fail(Code::InvalidRepositoryConfig,
                fmt::format("{} does not have a valid config. Check the repository config [{}].", location, why));
  };
  std::map<std::string, std::string> values;
  std::string section;
  bool seen = false;
  while (!text.empty()) {
    const auto end = text.find('\n');
    const std::string_view line = trimmed(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    if (line.empty() || line[0] == '#' || line[0] == ';') continue;
    if (line.find('\0') != std::string_view::npos) return invalid("it holds NUL bytes");
    if (line[0] == '[') {
      if (line.back() != ']') return invalid("malformed section");
      section = line.substr(1, line.size() - 2);
      if (section == "repository" && std::exchange(seen, true)) return invalid("section repository twice");
      continue;
    }
    if (section.empty()) return invalid("no section header");
    if (section != "repository") continue;
    const auto separator = line.find_first_of("=:");
    if (separator == std::string_view::npos) return invalid("malformed line");
    if (!values.emplace(lowered(trimmed(line.substr(0, separator))), trimmed(line.substr(separator + 1))).second) {
      return invalid("duplicate option");
    }
  }
  if (!seen) return invalid("no section repository");
  return values;
}

}  // namespace

std::string encode_config(const RepositoryId& id, const crypt::Suite& suite) {
  return fmt::format(
      "# This is a Borg Backup repository.\n# See https://borgbackup.readthedocs.io/\n\n[repository]\nversion = {}\n"
      "id = {}\nencryption = {}\nid_hash = {}\n\n",
      kRepositoryVersion, id.hex(), suite.encryption(), suite.id_hash_name());
}

Result<Config> parse_config(std::string_view text, const std::string& location) {
  auto invalid = [&](const std::string& why) {
    return fail(Code::InvalidRepositoryConfig,
                fmt::format("{} does not have a valid config. Check the repository config [{}].", location, why));
  };
  auto section = repository_section(text, location);
  if (!section) {
    return fail(Code::InvalidRepository,
                fmt::format("{} is not a valid repository. Check the repository config.", location));
  }
  auto& values = *section;
  int version = 0;
  const std::string& version_text = values["version"];
  const auto [end, error] = std::from_chars(version_text.data(), version_text.data() + version_text.size(), version);
  if (error != std::errc() || end != version_text.data() + version_text.size()) {
    return fail(Code::InvalidRepository,
                fmt::format("{} is not a valid repository. Check the repository config.", location));
  }
  if (version != kRepositoryVersion) {
    return invalid(fmt::format("repository version {} is not supported by this borg version", version));
  }
  const auto id = RepositoryId::from_hex(values["id"]);
  if (!id) {
    return fail(Code::InvalidRepository,
                fmt::format("{} is not a valid repository. Check the repository config.", location));
  }
  Config config{.id = *id, .suite = std::nullopt};
  const bool has_encryption = values.contains("encryption");
  const bool has_id_hash = values.contains("id_hash");
  if (has_encryption != has_id_hash) return invalid("only one of encryption and id_hash is there");
  if (has_encryption) {
    config.suite = crypt::find_suite(values["encryption"], values["id_hash"]);
    if (!config.suite) {
      return invalid(fmt::format("unsupported crypto suite: encryption \"{}\", id hash \"{}\"", values["encryption"],
                                 values["id_hash"]));
    }
  }
  return config;
}

Buffer encode_defaults(const Defaults& defaults) {
  Buffer out;
  msgpack::Writer writer(out);
  writer.map((defaults.compression ? 1U : 0U) + (defaults.chunker_params ? 1U : 0U));
  if (defaults.compression) {
    writer.str("compression");
    writer.str(*defaults.compression);
  }
  if (defaults.chunker_params) {
    writer.str("chunker_params");
    writer.str(*defaults.chunker_params);
  }
  return out;
}

Result<Defaults> decode_defaults(Bytes bytes, const std::string& location) {
  auto invalid = [&] {
    return fail(
        Code::InvalidRepositoryConfig,
        fmt::format("{} does not have a valid config. Check the repository config [config/defaults is no map of "
                    "texts].",
                    location));
  };
  msgpack::Reader reader(bytes);
  const auto count = reader.map();
  if (!count) return invalid();
  Defaults defaults;
  for (std::size_t i = 0; i < *count; ++i) {
    const auto key = reader.str();
    if (!key) return invalid();
    const auto value = reader.str();
    if (!value) return invalid();
    if (*key == "compression") defaults.compression = std::string(*value);
    if (*key == "chunker_params") defaults.chunker_params = std::string(*value);
  }
  return defaults;
}

}  // namespace cairn::repo
