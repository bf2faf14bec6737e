// --json documents: keys sorted, indent 4 or BORG_JSON_INDENT, written like json_text.h says.
// Include <nlohmann/json.hpp> only in the source file that builds the document.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "cli/output.h"

namespace cairn::cli {

// `indent`: the text of one level ("    "); nothing: all on one line.
std::string json_text(const nlohmann::json& document, const std::optional<std::string>& indent);
std::optional<std::string> json_indent();  // from BORG_JSON_INDENT

// The document and a line feed, on standard output.
void write_json(Output& output, const nlohmann::json& document);

// object[key] = text with '?' for bytes that are not UTF-8, and then also object[key + "_b64"].
void set_text(nlohmann::json& object, std::string_view key, std::string_view text);

}  // namespace cairn::cli
