// The environment that child programs get: ours, without what they must not know.
// Source: docs/format (crypto, section 3.6; cli, section 3).
#pragma once

#include <string>
#include <vector>

namespace cairn {

// "NAME=value" entries: all passphrase variables and BORGSTORE_REST_PASSWORD are left out, BORG_VERSION is added.
std::vector<std::string> child_environment();

}  // namespace cairn
