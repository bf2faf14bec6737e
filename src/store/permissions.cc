#include "store/permissions.h"

#include <fmt/format.h>

#include "store/store.h"

namespace cairn::store {
namespace {

constexpr Permissions::Rule kNoDelete[] = {{"archives", "lrw"}, {"cache", "lrwWD"}, {"config", "lrW"},
                                           {"index", "lrwWD"},  {"keys", "lr"},     {"locks", "lrwD"},
                                           {"packs", "lrw"},    {"", "lr"}};
constexpr Permissions::Rule kWriteOnly[] = {{"archives", "lw"}, {"cache", "lrwWD"}, {"config", "lrW"},
                                            {"index", "lrwWD"}, {"keys", "lr"},     {"locks", "lrwD"},
                                            {"packs", "lw"},    {"", "l"}};
constexpr Permissions::Rule kReadOnly[] = {{"locks", "lrwD"}, {"", "lr"}};

std::string_view described(std::string_view letters) {
  if (letters == "wW") return "write (w/W)";
  if (letters == "W") return "overwrite (W)";
  if (letters == "w") return "write (w)";
  if (letters == "D") return "delete (D)";
  if (letters == "r") return "read (r)";
  if (letters == "l") return "list (l)";
  return "list or read (l/r)";
}

}  // namespace

Result<Permissions> Permissions::preset(std::string_view name) {
  Permissions permissions;
  if (name == "no-delete") {
    permissions.table_ = kNoDelete;
  } else if (name == "write-only") {
    permissions.table_ = kWriteOnly;
  } else if (name == "read-only") {
    permissions.table_ = kReadOnly;
  } else if (name != "all" && !name.empty()) {
    return fail(Code::Error, fmt::format("Invalid BORG_REPO_PERMISSIONS value: {}, should be one of: all, no-delete, "
                                         "write-only, read-only.",
                                         name));
  }
  return permissions;
}

std::string_view Permissions::granted(std::string_view name) const {
  if (!restricted()) return "lrwWD";
  const std::string_view space = space_of(name);
  const Rule* rule = table_;
  while (!rule->space.empty() && rule->space != space) ++rule;
  return rule->letters;
}

Status Permissions::require(std::string_view name, std::string_view letters, std::string_view doing) const {
  const std::string_view have = granted(name);
  if (have.find_first_of(letters) != std::string_view::npos) return {};
  const std::string where = name.empty() ? "the repository" : fmt::format("{}/", space_of(name));
  return fail(Code::PermissionDenied,
              fmt::format("Repository permission denied: {} needs {} permission on {}, but only '{}' is granted "
                          "(BORG_REPO_PERMISSIONS).",
                          doing, described(letters), where, have));
}

}  // namespace cairn::store
