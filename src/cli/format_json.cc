#include "cli/format_json.h"

#include <nlohmann/json.hpp>

#include "archive/time.h"
#include "cli/json_output.h"

namespace cairn::cli {

void set_value(nlohmann::json& object, const std::string& key, const archive::FormatValue& value) {
  if (const auto* time = std::get_if<archive::TimeValue>(&value)) {
    object[key] = archive::iso_local(time->time);
  } else if (const auto* number = std::get_if<std::int64_t>(&value)) {
    object[key] = *number;
  } else if (const auto* text = std::get_if<std::string>(&value)) {
    set_text(object, key, *text);
  } else {
    set_text(object, key, std::get<std::string_view>(value));
  }
}

void add_value(JsonLine& line, std::string_view key, const archive::FormatValue& value) {
  if (const auto* time = std::get_if<archive::TimeValue>(&value)) {
    line.text(key, archive::iso_local(time->time));
  } else if (const auto* number = std::get_if<std::int64_t>(&value)) {
    line.integer(key, *number);
  } else if (const auto* text = std::get_if<std::string>(&value)) {
    line.text(key, *text);
  } else {
    line.text(key, std::get<std::string_view>(value));
  }
}

}  // namespace cairn::cli
