#include "cli/config_file.h"

#include <algorithm>

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

namespace cairn::cli {
namespace {

constexpr int kDeepest = 3;  // group, command, option

Status collect(const YAML::Node& node, const std::string& section, int depth, const std::string& file,
               std::vector<ConfigEntry>& entries) {
  for (const auto& child : node) {
    std::string key = child.first.as<std::string>();
    std::ranges::replace(key, '_', '-');
    const YAML::Node& content = child.second;
    if (content.IsMap()) {
      if (depth + 1 == kDeepest) return fail(Code::Usage, fmt::format("{}: \"{}\" is nested too deeply", file, key));
      CAIRN_CHECKED(collect(content, section.empty() ? key : section + " " + key, depth + 1, file, entries));
    } else if (content.IsSequence()) {
      ConfigEntry entry{section, key, {}};
      for (const auto& element : content) {
        if (!element.IsScalar()) return fail(Code::Usage, fmt::format("{}: \"{}\" must be a list of texts", file, key));
        entry.values.push_back(element.as<std::string>());
      }
      entries.push_back(std::move(entry));
    } else if (content.IsScalar()) {
      entries.push_back({section, key, {content.as<std::string>()}});
    }
    // A null value leaves the default.
  }
  return {};
}

}  // namespace

Result<std::vector<ConfigEntry>> parse_config(const std::string& text, const std::string& name) {
  std::vector<ConfigEntry> entries;
  try {
    const YAML::Node root = YAML::Load(text);
    if (root.IsNull()) return entries;
    if (!root.IsMap()) return fail(Code::Usage, fmt::format("{}: not a mapping of options", name));
    CAIRN_CHECKED(collect(root, "", 0, name, entries));
  } catch (const YAML::Exception& problem) {
    return fail(Code::Usage, fmt::format("{}: {}", name, problem.what()));
  }
  return entries;
}

}  // namespace cairn::cli
