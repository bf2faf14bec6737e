#include "ops/backup_error.h"

#include <cerrno>

#include <fmt/format.h>

namespace cairn::ops {

Error backup_error(const std::string& shown, std::string_view operation, const Error& cause) {
  Code code = Code::BackupOs;
  switch (cause.os_error()) {
    case EPERM:
    case EISDIR:
    case EACCES:
    case EBUSY:
      code = Code::BackupPermission;
      break;
    case ENOENT:
      code = Code::BackupNotFound;
      break;
    case EIO:
      code = Code::BackupIo;
      break;
    case ETIMEDOUT:
      code = Code::BackupTimeout;
      break;
    default:
      break;
  }
  return {code, fmt::format("{}: {}: {}", shown, operation, cause.message()), cause.os_error()};
}

}  // namespace cairn::ops
