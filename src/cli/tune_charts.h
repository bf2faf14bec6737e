// A Tuning as charts: one for each part that was measured.
#pragma once

#include <vector>

#include "chart/chart.h"
#include "measure/tuning.h"

namespace cairn::cli {

std::vector<chart::Chart> tune_charts(const measure::Tuning& tuning);

}  // namespace cairn::cli
