// What an archive says of the run that made it: when, and in which directory.
#pragma once

#include "archive/metadata.h"
#include "base/clock.h"

namespace cairn::ops {

void set_run_facts(archive::Metadata& metadata, Nanoseconds start, Nanoseconds end);

}  // namespace cairn::ops
