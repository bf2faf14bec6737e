#include "ops/id_checks.h"

#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/env.h"

namespace cairn::ops {

Result<IdChecks> id_checks_from_environment() {
  IdChecks checks;
  const auto value = env("BORG_ASSERT_ID");
  if (!value) return checks;
  checks = {.read = false, .repair = false, .transfer = false, .rechunk = false};
  std::string unknown;
  std::string_view rest = *value;
  while (true) {
    const auto comma = rest.find(',');
    std::string_view name = rest.substr(0, comma);
    while (name.starts_with(' ')) name.remove_prefix(1);
    while (name.ends_with(' ')) name.remove_suffix(1);
    if (name == "read") {
      checks.read = true;
    } else if (name == "repair") {
      checks.repair = true;
    } else if (name == "transfer") {
      checks.transfer = true;
    } else if (name == "rechunk") {
      checks.rechunk = true;
    } else if (name == "verify_data") {
      return fail(Code::Error, "BORG_ASSERT_ID: verify_data always verifies, can not be configured.");
    } else if (!name.empty()) {
      unknown += (unknown.empty() ? "" : ", ") + std::string(name);
    }
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  if (!unknown.empty()) {
    return fail(Code::Error,
                fmt::format("BORG_ASSERT_ID: {}: invalid place name(s). Valid place names are: read, repair, "
                            "transfer, rechunk.",
                            unknown));
  }
  return checks;
}

}  // namespace cairn::ops
