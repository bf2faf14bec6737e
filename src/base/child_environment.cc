// Filters the environment for child programs; see the header.
#include "base/child_environment.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace cairn {

namespace {

// The release whose interface to hooks and commands is offered.
constexpr std::string_view kVersion = "2.0.0b25";

constexpr std::array<std::string_view, 11> kLeftOut = {
    "BORG_PASSPHRASE",          "BORG_PASSCOMMAND",        "BORG_PASSPHRASE_FD",    "BORG_NEW_PASSPHRASE",
    "BORG_NEW_PASSCOMMAND",     "BORG_NEW_PASSPHRASE_FD",  "BORG_OTHER_PASSPHRASE", "BORG_OTHER_PASSCOMMAND",
    "BORG_OTHER_PASSPHRASE_FD", "BORGSTORE_REST_PASSWORD", "BORG_VERSION"};

}  // namespace

std::vector<std::string> child_environment() {
  std::vector<std::string> entries;
  for (char** entry = ::environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (std::ranges::find(kLeftOut, text.substr(0, text.find('='))) == kLeftOut.end()) entries.emplace_back(text);
  }
  entries.push_back("BORG_VERSION=" + std::string(kVersion));
  return entries;
}

}  // namespace cairn
