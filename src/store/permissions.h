// Who may do what below a namespace: the presets of BORG_REPO_PERMISSIONS.
//
// Letters   l list and info, r read, w write new objects, W write or overwrite, D delete.
// Rule      the longest prefix of a name that the table knows decides; without a table everything is allowed.
// Threads   immutable after preset().
// Source    docs/format (store, section 7).
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"

namespace cairn::store {

class Permissions {
 public:
  Permissions() = default;  // all
  // "all", "no-delete", "write-only" or "read-only"; an empty text is "all". Anything else is an Error in Borg's words.
  static Result<Permissions> preset(std::string_view name);

  bool restricted() const { return table_ != nullptr; }
  std::string_view granted(std::string_view name) const;
  // PermissionDenied unless one of `letters` is granted; `doing` is "storing config/config".
  Status require(std::string_view name, std::string_view letters, std::string_view doing) const;

  struct Rule {
    std::string_view space;  // "" is the rule for all others
    std::string_view letters;
  };

 private:
  const Rule* table_ = nullptr;  // ends with the rule for ""
};

}  // namespace cairn::store
