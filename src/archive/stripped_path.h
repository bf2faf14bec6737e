// --strip-components: a path without its first parts.
#pragma once

#include <cstddef>
#include <string>

namespace cairn::archive {

// Empty if nothing is left.
std::string stripped_path(const std::string& path, std::size_t count);

}  // namespace cairn::archive
