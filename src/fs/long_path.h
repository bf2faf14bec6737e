// Paths longer than the kernel takes in one call, walked in pieces.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "base/fd.h"

namespace cairn::fs {

// A name that the kernel accepts relative to a directory; `holder` keeps that directory open if we had to open it.
struct Place {
  int directory;
  std::string name;
  Fd holder;
};
// True if `name` fits into one call, with room for a "/proc/self/fd/N/" in front of it.
bool fits_one_call(std::string_view name);
// Walks all but the last component of a `name` that does not fit. Links on the way are followed, as the kernel does.
Result<Place> walk_long_path(int directory, const std::string& name, const std::string& shown);

// Without trailing slashes, which would make the kernel follow a final link; "/" stays.
std::string_view without_trailing_slashes(std::string_view path);

}  // namespace cairn::fs
