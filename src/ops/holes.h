// Whether holes of a file are asked for instead of being read as zeros. It changes no chunk.
// Source    docs/format (chunkers, section 7.1).
#pragma once

#include "base/clock.h"
#include "fs/node.h"

namespace cairn::ops {

// Without --sparse holes are asked for only in files that seem to have some and have been left alone for a minute: file
// systems have been wrong about holes in what was written a moment ago.
bool asks_for_holes(const fs::Stat& stat, bool sparse, Nanoseconds now);

}  // namespace cairn::ops
