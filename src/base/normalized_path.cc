#include "base/normalized_path.h"

#include <algorithm>

namespace cairn {

std::string normalized_path(std::string_view path, std::size_t root_slashes) {
  const std::size_t slashes = std::min(path.find_first_not_of('/'), path.size());
  std::string out(slashes == 2 ? std::min<std::size_t>(2, root_slashes) : std::min<std::size_t>(slashes, 1), '/');
  const std::size_t root = out.size();
  for (std::size_t start = slashes; start < path.size();) {
    const std::size_t end = std::min(path.find('/', start), path.size());
    const std::string_view part = path.substr(start, end - start);
    start = end + 1;
    if (part.empty() || part == ".") continue;
    if (part == "..") {
      const std::string_view done = std::string_view(out).substr(root);
      const std::size_t slash = done.rfind('/');
      const std::string_view last = slash == std::string_view::npos ? done : done.substr(slash + 1);
      if (!last.empty() && last != "..") {
        out.resize(root + (slash == std::string_view::npos ? 0 : slash));
        continue;
      }
      if (root > 0) continue;  // above the root there is the root
    }
    if (out.size() > root) out += '/';
    out += part;
  }
  return out.empty() ? "." : out;
}

}  // namespace cairn
