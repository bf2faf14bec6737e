// Writing a whole text to a path that the user named.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "base/fd.h"

namespace cairn::cli {

// All of `text`; the file stays open. `path` is for the error.
Status write_text(const Fd& fd, const std::string& path, std::string_view text);

// In place: the path may be a device or a pipe, which a rename would replace.
Status write_text_file(const std::string& path, std::string_view text);

}  // namespace cairn::cli
