// Removing what is not wanted below a directory (Target::remove_unwanted).
#pragma once

#include "fs/target.h"

namespace cairn::fs {

void remove_unwanted_below(int root, bool dry_run, RemovalObserver& observer);

}  // namespace cairn::fs
