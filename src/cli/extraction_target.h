// The directory that extract writes to: whether it may, and making it.
#pragma once

#include <string>

#include "base/error.h"
#include "store/location.h"

namespace cairn::cli {

// ExtractionDirNotEmpty unless the working directory is empty.
Status require_empty_working_directory();

// Error unless `directory` is not there, or an empty directory. `advice` says which options allow more.
Status require_empty_target(const std::string& directory, const std::string& advice);

// Makes it with its parents, as the umask says.
Status make_target(const std::string& directory);

// Error if making `directory` a mirror could delete a part of the repository that the archive comes from.
Status require_apart(const std::string& directory, const store::Location& repository);

}  // namespace cairn::cli
