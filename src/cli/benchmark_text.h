// The text form of `benchmark cpu`. Source: docs/format (benchmark, section 1.1).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "measure/benchmark.h"

namespace cairn::cli {

std::string benchmark_title(std::string_view title);  // a line of 71 columns, filled with "="
std::string benchmark_line(measure::BenchmarkSection section, const measure::BenchmarkRow& row);
std::string binary_size(std::uint64_t size);   // "1.00 GiB", "3 B", whatever BORG_UNITS says
std::string failure_text(const Error& error);  // "Error: Error: BORG_BLAKE3_MT_THRESHOLD must ..."

}  // namespace cairn::cli
