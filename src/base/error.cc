#include "base/error.h"

#include <cerrno>
#include <cstring>

#include <fmt/format.h>

namespace cairn {

std::string Error::text() const {
  std::string out = message();
  if (places().empty()) return out;
  out += " (";
  for (std::size_t i = 0; i < places().size(); ++i) {
    if (i > 0) out += "; ";
    out += places()[i];
  }
  return out + ")";
}

Error os_error(int error_number, const std::string& path) {
  Code code = Code::Io;
  switch (error_number) {
    case ENOENT:
      code = Code::NotFound;
      break;
    case EACCES:
    case EPERM:
      code = Code::Denied;
      break;
    case ENOSPC:
    case EDQUOT:
      code = Code::NoSpace;
      break;
    default:
      break;
  }
  char storage[128];
  const char* text = strerror_r(error_number, storage, sizeof storage);
  std::string message = fmt::format("[Errno {}] {}", error_number, text);
  if (!path.empty()) message += fmt::format(": '{}'", path);
  return {code, std::move(message), error_number};
}

}  // namespace cairn
