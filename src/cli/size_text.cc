#include "cli/size_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "base/env.h"
#include "base/log.h"

namespace cairn::cli {
namespace {

struct Scaled {
  double value;
  std::size_t unit;
};

Scaled scaled(std::int64_t size, Units units) {
  constexpr std::size_t kLastUnit = 8;
  const double step = units == Units::Iec ? 1024 : 1000;
  Scaled result{static_cast<double>(size), 0};
  while (units != Units::Raw && result.unit < kLastUnit && std::abs(std::round(result.value * 100) / 100) >= step) {
    result.value /= step;
    ++result.unit;
  }
  return result;
}

std::string_view unit_name(std::size_t unit, Units units) {
  constexpr std::array<std::string_view, 9> kSi{"B", "kB", "MB", "GB", "TB", "PB", "EB", "ZB", "YB"};
  constexpr std::array<std::string_view, 9> kIec{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB", "ZiB", "YiB"};
  return units == Units::Iec ? kIec[unit] : kSi[unit];
}

std::string formatted(const Scaled& scaled_size, Units units, int decimals, bool with_sign) {
  if (scaled_size.unit == 0) decimals = 0;
  return with_sign ? fmt::format("{:+.{}f} {}", scaled_size.value, decimals, unit_name(scaled_size.unit, units))
                   : fmt::format("{:.{}f} {}", scaled_size.value, decimals, unit_name(scaled_size.unit, units));
}

}  // namespace

Units units_from_environment() {
  const auto setting = env_nonempty("BORG_UNITS");
  if (!setting || *setting == "si") return Units::Si;
  if (*setting == "iec") return Units::Iec;
  if (*setting == "raw") return Units::Raw;
  log(Level::Warning, "borg.archiver", fmt::format("Invalid BORG_UNITS value {}, using si.", *setting));
  return Units::Si;
}

std::string size_text(std::int64_t size, Units units, int decimals, bool with_sign) {
  return formatted(scaled(size, units), units, decimals, with_sign && size != 0);
}

std::string fine_size_text(std::int64_t size, Units units) {
  const Scaled result = scaled(size, units);
  return formatted(result, units, std::clamp(3 * (static_cast<int>(result.unit) - 2), 2, 9), false);
}

}  // namespace cairn::cli
