// Reading a whole file that the user named.
#pragma once

#include <string>

#include "base/buffer.h"
#include "base/error.h"

namespace cairn::cli {

Result<Buffer> read_whole_file(const std::string& path);

}  // namespace cairn::cli
