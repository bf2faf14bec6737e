// Option values whose syntax belongs to a room below: checked there, kept as text.
// Errors: Usage with that room's message.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"

namespace cairn::cli {

Result<std::string> parse_archive_name(std::string_view value);  // before placeholders are expanded
Result<std::string> parse_tag(std::string_view value);
Result<std::string> parse_comment(std::string_view value);
Result<std::string> parse_location(std::string_view value);  // empty is allowed: not given
Result<std::string> parse_compression(std::string_view value);
Result<std::string> parse_chunker_params(std::string_view value);  // "default" stays
Result<std::string> parse_timestamp(std::string_view value);
Result<std::string> parse_exclude_pattern(std::string_view value);

}  // namespace cairn::cli
