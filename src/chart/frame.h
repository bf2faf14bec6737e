// What stands around every plot: heading, legend, value axis, caption. Not for other rooms.
#pragma once

#include <string>
#include <vector>

#include "chart/chart.h"
#include "chart/drawing.h"
#include "chart/ruler.h"

namespace cairn::chart {

struct Area {
  double left = 0, right = 0, top = 0, bottom = 0;
  double width() const { return right - left; }
};

struct LegendEntry {
  std::string name;
  std::string kind;  // class of its colour
};

// Draws heading and legend; returns the y below them.
double draw_top(Drawing& drawing, const Heading& heading, const std::vector<LegendEntry>& legend);

// Left edge of a plot whose value axis stands there.
double left_of_plot(const std::vector<double>& ticks);
// Grid lines with labels at the left, and the axis title above the plot.
void draw_standing_values(Drawing& drawing, const Area& plot, const Ruler& ruler, const std::vector<double>& ticks,
                          const std::string& title);
// Lines across the plot at values of the standing axis, and at places of the lying one.
void draw_value_guides(Drawing& drawing, const Area& plot, const Ruler& ruler, const std::vector<Guide>& guides);
// `row`: how many guides with labels stand already, so that labels do not cover each other.
void draw_upright(Drawing& drawing, const Area& plot, double x, const std::string& label, bool plain, std::size_t row);

// The caption from `y` on, then the whole document.
std::string finish(Drawing& drawing, double y, const Heading& heading);

}  // namespace cairn::chart
