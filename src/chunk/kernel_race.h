// Which kernel of a chunker is the fastest here, found by trying them all for a few milliseconds. It cannot be derived
// from what a CPU offers.
// Threads   all of them; other work on the same core makes the answer worse, never wrong.
// Source    docs/format (chunkers, section 13.12).
#pragma once

#include <string_view>

#include "chunk/params.h"

namespace cairn::chunk {

// One of kernels_of() that runs; "" for fixed and fail.
std::string_view fastest_kernel(Algorithm algorithm);

}  // namespace cairn::chunk
