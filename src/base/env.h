// Environment variables, read through one door.
#pragma once

#include <optional>
#include <string>

namespace cairn {

// The variable's value; nothing if it is not set. An empty value is a value.
std::optional<std::string> env(const char* name);
// The same, but an empty value counts as not set.
std::optional<std::string> env_nonempty(const char* name);

}  // namespace cairn
