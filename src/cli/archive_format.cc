#include "cli/archive_format.h"

#include <array>

#include <nlohmann/json.hpp>

#include "cli/format_json.h"
#include "cli/json_output.h"

namespace cairn::cli {
namespace {

constexpr std::array<std::string_view, 13> kKeys = {"archive",  "name",  "comment", "id",           "tags",
                                                    "time",     "start", "end",     "command_line", "hostname",
                                                    "username", "size",  "nfiles"};

archive::FormatValue value_of(const archive::ArchiveSummary& archive, std::string_view key) {
  if (key == "archive" || key == "name") return std::string_view(archive.name);
  if (key == "comment") return std::string_view(archive.comment);
  if (key == "id") return archive.id.hex();
  if (key == "tags") return archive.tags_text();
  if (key == "time") return archive::TimeValue{archive.time};
  if (key == "start") return archive::TimeValue{archive.start};
  if (key == "end") return archive::TimeValue{archive.end};
  if (key == "command_line") return std::string_view(archive.command_line);
  if (key == "hostname") return std::string_view(archive.hostname);
  if (key == "username") return std::string_view(archive.username);
  if (key == "size") return static_cast<std::int64_t>(archive.size);
  return static_cast<std::int64_t>(archive.nfiles);
}

}  // namespace

std::span<const std::string_view> archive_format_keys() { return kKeys; }

Result<ArchiveFormat> ArchiveFormat::compile(std::string_view text) {
  CAIRN_TRY(auto compiled, archive::FormatTemplate::compile(text, kKeys));
  return ArchiveFormat(std::move(compiled));
}

Result<std::string> ArchiveFormat::render(const archive::ArchiveSummary& archive) const {
  std::string out;
  const auto& keys = template_.keys();
  CAIRN_CHECKED(template_.render([&](std::size_t i) { return value_of(archive, keys[i]); }, out));
  return out;
}

void ArchiveFormat::add_json(const archive::ArchiveSummary& archive, nlohmann::json& object) const {
  for (const std::string& key : template_.keys()) {
    set_value(object, key, value_of(archive, key));
  }
}

}  // namespace cairn::cli
