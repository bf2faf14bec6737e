// The user's own data for the compressors: one file, or all regular files below a directory joined.
//
// Order     directories and files by name (bytes), the files of a directory before those of its subdirectories.
// Left out  what is no regular file, and symbolic links to nothing; links to files count, links to directories do not.
// Errors    Command: no such file or directory, a file that cannot be read, nothing found. Interrupted by `stop`.
// Source    docs/format (benchmark, section 1.2).
#pragma once

#include <functional>
#include <string>

#include "base/buffer.h"
#include "base/error.h"

namespace cairn::measure {

constexpr std::size_t kMostBenchmarkData = std::size_t{1} << 30U;

Result<Buffer> read_benchmark_data(const std::string& path, const std::function<bool()>& stop,
                                   std::size_t most = kMostBenchmarkData);

}  // namespace cairn::measure
