// A Tuning as a web page: charts and tables in one file that needs nothing else, light or dark as the reader prefers.
#pragma once

#include <string>

#include "measure/tuning.h"

namespace cairn::cli {

std::string tune_page(const measure::Tuning& tuning);

}  // namespace cairn::cli
