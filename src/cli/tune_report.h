// A Tuning as text: tables with small bars, and what to set.
#pragma once

#include <string>

#include "measure/tuning.h"

namespace cairn::cli {

std::string tune_report(const measure::Tuning& tuning);

// The settings alone; empty if nothing is recommended.
std::string tune_settings(const measure::Tuning& tuning);

// What the caption of charts says about how it was measured.
std::string tune_caption(const measure::Tuning& tuning);

}  // namespace cairn::cli
