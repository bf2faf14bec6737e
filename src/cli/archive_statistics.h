// What --stats and --json tell of a new archive: create, import-tar, recreate.
// Include <nlohmann/json.hpp> only in the source file that builds the document.
// Source: docs/format (cli, sections 10.7 and 10.22).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "base/units.h"
#include "ops/create.h"

namespace cairn::cli {

// Without the lines about the store. The stats logger is on with --stats, others as the log level says.
void log_archive_statistics(const ops::CreateResult& result, const std::string& location, Units units,
                            std::string_view logger = "borg.output.stats");

// document["archive"].
void add_archive_json(const ops::CreateResult& result, nlohmann::json store_stats, nlohmann::json& document);

}  // namespace cairn::cli
