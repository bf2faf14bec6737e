// Lexical normalisation of paths, as POSIX's (Python's) normpath: no empty, "." or needless ".." components.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cairn {

// "." if nothing is left. Exactly two leading slashes stay two, as POSIX wants it; `root_slashes` 1 makes them one.
std::string normalized_path(std::string_view path, std::size_t root_slashes = 2);

}  // namespace cairn
