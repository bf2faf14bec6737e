// Names of objects and where they lie, docs/format (store, sections 2 and 3).

#include <algorithm>

#include <fmt/format.h>

#include "store/store.h"

namespace cairn::store {
namespace {

constexpr std::size_t kLongestName = 100;
constexpr std::string_view kDeleted = ".del";

// Directory levels between a namespace and its objects; each takes two digits of the key.
std::size_t levels_of(std::string_view space) { return space == "packs" ? 1 : 0; }

}  // namespace

bool is_valid_name(std::string_view name) {
  if (name.size() > kLongestName || name.starts_with('/') || name.ends_with('/')) return false;
  if (name.find("..") != std::string_view::npos || name.ends_with(".tmp") || name.ends_with(".hid")) return false;
  // Control characters are refused with the blank: a zero byte would end the name early in the system's calls.
  return std::ranges::all_of(name, [](char c) { return c > ' ' && c < 0x7f && c != '\\' && !(c >= 'A' && c <= 'Z'); });
}

std::string_view space_of(std::string_view name) { return name.substr(0, name.find('/')); }

std::string nested(std::string_view name) {
  const std::string_view space = space_of(name);
  const std::size_t levels = levels_of(space);
  if (levels == 0 || space.size() == name.size()) return std::string(name);
  const std::string_view key = name.substr(space.size() + 1);
  std::string path(space);
  for (std::size_t level = 0; level < levels; ++level) {
    path += '/';
    if (key.size() >= 2 * level) path += key.substr(2 * level, 2);
  }
  path += '/';
  path += key;
  return path;
}

std::string unnested(std::string_view path) {
  const std::string_view space = space_of(path);
  if (levels_of(space) == 0) return std::string(path);
  return fmt::format("{}/{}", space, path.substr(path.rfind('/') + 1));
}

Status check_space(std::string_view space) {
  if (std::ranges::find(kNamespaces, space) == std::end(kNamespaces))
    return fail(Code::Error, fmt::format("'{}' is no namespace of a repository.", space));
  return {};
}

Status check_any_name(std::string_view name) {
  if (!is_valid_name(name)) return fail(Code::Error, fmt::format("'{}' is not a valid object name.", name));
  return {};
}

Status check_object_name(std::string_view name) {
  const std::string_view space = space_of(name);
  CAIRN_CHECKED(check_any_name(name));
  if (space.size() == name.size() || name.find('/', space.size() + 1) != std::string_view::npos || name.ends_with("/."))
    return fail(Code::Error, fmt::format("'{}' is not a valid object name.", name));
  return check_space(space);
}

bool key_of_entry(std::string_view entry, Which which, std::string_view& key) {
  if (entry.empty() || !is_valid_name(entry)) return false;
  const bool deleted = entry.ends_with(kDeleted);
  if (deleted != (which == Which::Deleted)) return false;
  key = deleted ? entry.substr(0, entry.size() - kDeleted.size()) : entry;
  return !key.empty();
}

}  // namespace cairn::store
