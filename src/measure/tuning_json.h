// A Tuning as JSON, for --json and --from-json.
//
// The members that Borg's threshold tool writes have its names, so that files of both can be drawn by either.
// Recommendations stand in the file for its readers; when it is read they are made anew from the numbers.
//
// Trust     a file may be anything: sizes and counts are limited, what is not as expected is an error (Code::Error).
// Source    docs/format (benchmark, section 4.4).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "base/error.h"
#include "measure/tuning.h"

namespace cairn::measure {

nlohmann::json tuning_to_json(const Tuning& tuning);
Result<Tuning> tuning_from_json(std::string_view text);

}  // namespace cairn::measure
