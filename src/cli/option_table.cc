#include "cli/option_table.h"

#include "cli/option_values.h"

namespace cairn::cli {

Status store(bool& field, std::string_view value) {
  CAIRN_TRY(field, parse_bool(value));
  return {};
}
Status store(int& field, std::string_view value) {
  CAIRN_TRY(field, parse_int(value));
  return {};
}
Status store(std::optional<int>& field, std::string_view value) {
  CAIRN_TRY(field, parse_int(value));
  return {};
}
Status store(std::string& field, std::string_view value) {
  field = value;
  return {};
}
Status store(std::optional<std::string>& field, std::string_view value) {
  field = std::string(value);
  return {};
}
Status store(std::vector<std::string>& field, std::string_view value) {
  field.emplace_back(value);
  return {};
}

std::vector<std::string_view> split_words(std::string_view text, char separator) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    if (end > 0) words.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

std::vector<std::string_view> names_of(const Option& option) {
  std::vector<std::string_view> names = split_words(option.names, ',');
  for (auto& name : names) name.remove_prefix(name.find_first_not_of(' '));
  return names;
}

std::string slashed_names(const Option& option) {
  std::string joined;
  for (const auto name : names_of(option)) {
    if (!joined.empty()) joined += '/';
    joined += name;
  }
  return joined;
}

std::string_view long_name(const Option& option) {
  const auto names = names_of(option);
  for (const auto name : names)
    if (name.starts_with("--")) return name;
  return names.front();
}

}  // namespace cairn::cli
