#include "base/units.h"

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <span>

#include <fmt/format.h>

#include "base/env.h"
#include "base/log.h"

namespace cairn {
namespace {

constexpr std::string_view kSiUnits[] = {"", "k", "M", "G", "T", "P", "E", "Z", "Y"};
constexpr std::string_view kIecUnits[] = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "Zi", "Yi"};

// Half-way cases go to the even neighbour of the exact binary value, as printf and Python's round() do.
double rounded(double value, int decimals) {
  return std::strtod(fmt::format("{:.{}f}", value, decimals).c_str(), nullptr);
}

}  // namespace

Units units_from_environment() {
  const std::string name = env("BORG_UNITS").value_or("si");
  if (name == "iec") return Units::Iec;
  if (name == "raw") return Units::Raw;
  static std::atomic<bool> warned = false;
  if (name != "si" && !warned.exchange(true)) {
    log(Level::Warning, "borg.helpers.parseformat",
        fmt::format("Invalid BORG_UNITS value '{}', must be one of si, iec, raw. Ignoring it.", name));
  }
  return Units::Si;
}

std::string format_size(std::int64_t bytes, const SizeFormat& format) {
  const std::string sign = format.sign && bytes > 0 ? "+" : "";
  if (format.units == Units::Raw) return fmt::format("{}{} B", sign, bytes);
  const std::span<const std::string_view> units = format.units == Units::Iec ? kIecUnits : kSiUnits;
  const double power = format.units == Units::Iec ? 1024 : 1000;
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (unit + 1 < units.size() && std::abs(rounded(value, format.precision)) >= power) {
    value /= power;
    ++unit;
  }
  if (unit == 0) return fmt::format("{}{} B", sign, bytes);
  int decimals = format.precision;
  if (format.fine) decimals = std::clamp(3 * (static_cast<int>(unit) - 2), decimals, std::max(decimals, 9));
  return fmt::format("{}{:.{}f} {}B", sign, value, decimals, units[unit]);
}

Result<std::uint64_t> parse_size(std::string_view text) {
  const auto bad = [&] { return fail(Code::Usage, fmt::format("invalid parse_file_size value: '{}'", text)); };
  std::string_view number = text;
  double factor = 1;
  if (!number.empty()) {
    constexpr std::string_view kSuffixes = "KMGTP";
    const std::size_t power =
        kSuffixes.find(static_cast<char>(std::toupper(static_cast<unsigned char>(number.back()))));
    if (power != std::string_view::npos) {
      number.remove_suffix(1);
      for (std::size_t i = 0; i <= power; ++i) factor *= 1000;
    }
  }
  if (number.empty() || number.find_first_not_of("0123456789.") != std::string_view::npos || number == ".")
    return bad();
  if (std::count(number.begin(), number.end(), '.') > 1) return bad();
  const double value = std::strtod(std::string(number).c_str(), nullptr) * factor;
  if (!(value < 9.2e18)) return bad();
  return static_cast<std::uint64_t>(value);
}

}  // namespace cairn
