// An axis as arithmetic: values to places, and where its grid lines stand. Not for other rooms.
#pragma once

#include <optional>
#include <vector>

#include "chart/chart.h"

namespace cairn::chart {

// The values that an axis must hold.
class Extent {
 public:
  explicit Extent(Scale scale) : scale_(scale) {}
  bool accepts(double value) const;
  void add(double value);
  bool empty() const { return !low_; }
  double low() const { return *low_; }
  double high() const { return *high_; }

 private:
  Scale scale_;
  std::optional<double> low_, high_;
};

class Ruler {
 public:
  enum class Edge { Tight, Rounded };  // Rounded: both ends of the axis are grid lines of a linear axis
  // An extent without values gives an axis from 0 (or 1) on.
  Ruler(const Axis& axis, Extent extent, Edge edge);

  bool accepts(double value) const { return extent_.accepts(value); }
  void place_between(double first, double last) {
    first_ = first;
    last_ = last;
  }
  double at(double value) const;
  double low() const { return low_; }
  double high() const { return high_; }
  // About `most` of them at the most, ascending.
  std::vector<double> ticks(std::size_t most) const;

 private:
  Scale scale_;
  bool whole_;
  Extent extent_;
  double low_ = 0, high_ = 1;
  double first_ = 0, last_ = 1;
};

}  // namespace cairn::chart
