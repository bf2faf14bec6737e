#include "chart/ruler.h"

#include <algorithm>
#include <cmath>

namespace cairn::chart {
namespace {

// 1, 2 or 5 times a power of ten, at least `step`.
double round_step(double step) {
  const double power = std::pow(10.0, std::floor(std::log10(step)));
  const double mantissa = step / power;
  if (mantissa <= 1.0001) return power;
  if (mantissa <= 2.0001) return 2 * power;
  if (mantissa <= 5.0001) return 5 * power;
  return 10 * power;
}

double step_for(double low, double high, std::size_t most) {
  return round_step((high - low) / static_cast<double>(std::max<std::size_t>(most, 2)));
}

}  // namespace

bool Extent::accepts(double value) const {
  return std::isfinite(value) && std::abs(value) < 1e300 && (scale_ == Scale::Linear || value > 0);
}

void Extent::add(double value) {
  if (!accepts(value)) return;
  low_ = low_ ? std::min(*low_, value) : value;
  high_ = high_ ? std::max(*high_, value) : value;
}

Ruler::Ruler(const Axis& axis, Extent extent, Edge edge) : scale_(axis.scale), whole_(axis.whole), extent_(extent) {
  if (axis.from) extent_.add(*axis.from);
  if (axis.to) extent_.add(*axis.to);
  if (extent_.empty()) extent_.add(1);
  low_ = extent_.low();
  high_ = extent_.high();
  if (scale_ != Scale::Linear) {
    if (high_ / low_ < 1.2) {
      low_ /= 1.5;
      high_ *= 1.5;
    }
    return;
  }
  if (high_ - low_ <= std::abs(high_) * 1e-9) {
    const double room = std::abs(high_) * 0.5;
    low_ -= room;
    high_ += high_ == 0 ? 1 : room;
  }
  if (edge == Edge::Rounded) {
    const double step = step_for(low_, high_, 6);
    low_ = std::floor(low_ / step + 1e-9) * step;
    high_ = std::ceil(high_ / step - 1e-9) * step;
  }
}

double Ruler::at(double value) const {
  const double share = scale_ == Scale::Linear
                           ? (value - low_) / (high_ - low_)
                           : (std::log(value) - std::log(low_)) / (std::log(high_) - std::log(low_));
  return first_ + std::clamp(share, 0.0, 1.0) * (last_ - first_);
}

std::vector<double> Ruler::ticks(std::size_t most) const {
  std::vector<double> found;
  if (scale_ != Scale::Linear) {
    const double base = scale_ == Scale::Log2 ? 2 : 10;
    const double span = std::log(high_ / low_) / std::log(base);
    if (span >= 1) {
      const double every = std::max(1.0, std::ceil(span / static_cast<double>(std::max<std::size_t>(most, 2))));
      const bool fine = scale_ == Scale::Log10 && span * 3 <= static_cast<double>(most);
      double power = std::floor(std::log(low_) / std::log(base));
      power = std::floor(power / every) * every;  // the same lines whatever the range begins with
      for (; std::pow(base, power) <= high_ * 1.0001; power += every) {
        for (const double part : {1.0, 2.0, 5.0}) {
          if (part > 1 && !fine) break;
          const double value = std::pow(base, power) * part;
          if (value >= low_ * 0.9999 && value <= high_ * 1.0001) found.push_back(value);
        }
      }
      return found;
    }
  }
  const double step = std::max(step_for(low_, high_, most), whole_ ? 1.0 : 0.0);
  const double first = std::ceil(low_ / step - 1e-9);
  const double last = std::floor(high_ / step + 1e-9);
  for (double i = first; i <= last && found.size() < 100; ++i) found.push_back(i == 0 ? 0 : i * step);
  return found;
}

}  // namespace cairn::chart
