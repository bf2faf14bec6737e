// One file's own problem while backing up or extracting, in Borg's words: "{path}: {op}: [Errno N] ...". A warning,
// with the Backup* code that decides the exit code. Source: docs/format (archive, section 4.7).
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"

namespace cairn::ops {

Error backup_error(const std::string& shown, std::string_view operation, const Error& cause);

}  // namespace cairn::ops
