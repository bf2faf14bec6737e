// The value of a format key as JSON: times in ISO form, texts that are not UTF-8 in both forms.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "archive/format.h"
#include "cli/json_text.h"

namespace cairn::cli {

void set_value(nlohmann::json& object, const std::string& key, const archive::FormatValue& value);
void add_value(JsonLine& line, std::string_view key, const archive::FormatValue& value);

}  // namespace cairn::cli
