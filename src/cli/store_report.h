// What --stats and --json tell of the work that a store did.
// Include <nlohmann/json.hpp> only in the source file that builds the document.
//
// Shapes    the keys and lines of Borg, whose store can have a cache in front of its backend: Cairn has none, so the
//           backend's figures are the store's own and the cache's are zero. What only Cairn counts (hash, sync ...)
//           comes last, and only if there is something to tell.
// Source    docs/format (cli, section 10.7; transcripts).
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "base/units.h"
#include "store/counted.h"

namespace cairn::cli {

// "Store load calls: 3" ... at the stats logger.
void log_store_statistics(const store::StoreStatistics& statistics, Units units);
// {"load_calls": 3, ...}
nlohmann::json store_statistics_json(const store::StoreStatistics& statistics);

}  // namespace cairn::cli
