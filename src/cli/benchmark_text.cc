#include "cli/benchmark_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/units.h"
#include "cli/exit_codes.h"

namespace cairn::cli {
namespace {

using measure::BenchmarkRow;
using measure::BenchmarkSection;

double per_second(double amount, double seconds) { return amount / std::max(seconds, 1e-9); }

}  // namespace

std::string benchmark_title(std::string_view title) { return fmt::format("{:=<71}\n", fmt::format("{} ", title)); }

std::string binary_size(std::uint64_t size) {
  return format_size(static_cast<std::int64_t>(size), {.units = Units::Iec});
}

// Before the colon Borg has the name of a Python class. Kernels that cannot be had are a ValueError there.
std::string failure_text(const Error& error) {
  if (error.code() == Code::Usage) return "ValueError: " + error.text();
  return fmt::format("{}: {}", message_id_of(error.code()), error_line(error));
}

std::string benchmark_line(BenchmarkSection section, const BenchmarkRow& row) {
  if (row.error) return fmt::format("{:<26} failed: {}\n", row.label, failure_text(*row.error));
  if (section == BenchmarkSection::Msgpack) {
    return fmt::format("{:<26} {:<11} {:7.3f}s  {:8.1f} kItems/s\n", row.label,
                       fmt::format("{}k Items", row.count / 1000), row.seconds,
                       per_second(static_cast<double>(row.count), row.seconds) / 1e3);
  }
  std::string line = fmt::format("{:<26} {:<11} {:7.3f}s  {:8.1f} MB/s", row.label, binary_size(row.size), row.seconds,
                                 per_second(static_cast<double>(row.size), row.seconds) / 1e6);
  if (section == BenchmarkSection::Compression) {
    const auto compressed = static_cast<double>(std::max<std::uint64_t>(row.compressed_size, 1));
    line += fmt::format("  {:6.2f}x", static_cast<double>(row.size) / compressed);
  }
  return line + "\n";
}

}  // namespace cairn::cli
