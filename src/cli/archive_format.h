// Format keys of archives ({name}, {time}, {tags} ...), for repo-list, check and others, as text and as JSON.
// Source: docs/format (cli, section 8.3).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>

#include "archive/format.h"
#include "archive/summary.h"
#include "base/error.h"

namespace cairn::cli {

class ArchiveFormat {
 public:
  static Result<ArchiveFormat> compile(std::string_view text);
  Result<std::string> render(const archive::ArchiveSummary& archive) const;
  // The keys that the format names, added to an archive's JSON object.
  void add_json(const archive::ArchiveSummary& archive, nlohmann::json& object) const;

 private:
  explicit ArchiveFormat(archive::FormatTemplate compiled) : template_(std::move(compiled)) {}
  archive::FormatTemplate template_;
};

std::span<const std::string_view> archive_format_keys();

}  // namespace cairn::cli
