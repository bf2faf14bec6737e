#include "archive/stripped_path.h"

namespace cairn::archive {

std::string stripped_path(const std::string& path, std::size_t count) {
  std::size_t at = 0;
  for (; count > 0; --count) {
    const auto slash = path.find('/', at);
    if (slash == std::string::npos) return {};
    at = slash + 1;
  }
  return path.substr(at);
}

}  // namespace cairn::archive
