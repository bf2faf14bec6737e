// How many threads this process may use: affinity, cgroup quota, and what the user asks for.
#pragma once

#include <string_view>

#include "base/error.h"

namespace cairn::exec {

// min(processors allowed to the process, ceil(cgroup v2 CPU quota), 32), at least 1.
unsigned default_threads();

// --threads N: 1 to 1024. Usage error otherwise.
Result<unsigned> parse_threads(std::string_view text);

}  // namespace cairn::exec
