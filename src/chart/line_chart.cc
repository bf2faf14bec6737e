// Lines with a marker and a hover text at every point; whiskers where a point has a spread.
#include <algorithm>
#include <cmath>

#include "chart/chart.h"
#include "chart/drawing.h"
#include "chart/frame.h"
#include "chart/ruler.h"
#include "chart/text.h"

namespace cairn::chart {
namespace {

constexpr double kPlotHeight = 368;
constexpr double kBelow = 64;  // tick labels and the title of the lying axis

Ruler x_ruler(const LineChart& chart) {
  Extent extent(chart.x.scale);
  for (const Line& line : chart.lines) {
    for (const Point& point : line.points) extent.add(point.x);
  }
  for (const Guide& guide : chart.x_guides) extent.add(guide.at);
  return {chart.x, extent, Ruler::Edge::Tight};
}

Ruler y_ruler(const LineChart& chart) {
  Extent extent(chart.y.scale);
  if (chart.y.scale == Scale::Linear && !chart.y.from) extent.add(0);
  for (const Line& line : chart.lines) {
    for (const Point& point : line.points) {
      extent.add(point.y);
      if (!point.spread) continue;
      extent.add(point.spread->low);
      extent.add(point.spread->high);
    }
  }
  for (const Guide& guide : chart.y_guides) extent.add(guide.at);
  return {chart.y, extent, Ruler::Edge::Rounded};
}

void draw_lying_values(Drawing& drawing, const Area& plot, const Ruler& ruler, const std::string& title) {
  double last_end = -100;
  for (const double tick : ruler.ticks(14)) {
    const double x = ruler.at(tick);
    drawing.line(x, plot.bottom, x, plot.bottom + 5, "edge");
    const std::string label = number_text(tick);
    const double half = width_of(label, kLabelSize) / 2;
    if (x - half < last_end + 4 || x + half > kWidth) continue;
    drawing.text(x, plot.bottom + 20, "muted", Anchor::Middle, label);
    last_end = x + half;
  }
  drawing.line(plot.left, plot.bottom, plot.right, plot.bottom, "edge");
  drawing.text((plot.left + plot.right) / 2, plot.bottom + 44, "muted", Anchor::Middle,
               shortened(title, kLabelSize, plot.width()));
}

std::string hint_of(const Line& line, const Point& point) {
  if (!point.hint.empty()) return point.hint;
  return line.name + (line.name.empty() ? "" : ": ") + number_text(point.x) + ", " + number_text(point.y);
}

void draw_line(Drawing& drawing, const Line& line, const std::string& kind, const Ruler& x, const Ruler& y) {
  std::string steps;
  for (const Point& point : line.points) {
    if (!x.accepts(point.x) || !y.accepts(point.y)) continue;
    steps += (steps.empty() ? "M" : "L") + place(x.at(point.x)) + " " + place(y.at(point.y));
  }
  if (steps.empty()) return;
  drawing.path(steps, "line " + kind);
  const double radius = line.points.size() > 60 ? 2.5 : 3.5;
  for (const Point& point : line.points) {
    if (!x.accepts(point.x) || !y.accepts(point.y)) continue;
    const double at = x.at(point.x);
    if (point.spread && y.accepts(point.spread->low) && y.accepts(point.spread->high)) {
      const double low = y.at(point.spread->low);
      const double high = y.at(point.spread->high);
      drawing.line(at, low, at, high, "whisker " + kind);
      drawing.line(at - 4, low, at + 4, low, "whisker " + kind);
      drawing.line(at - 4, high, at + 4, high, "whisker " + kind);
    }
    drawing.circle(at, y.at(point.y), radius, "fill " + kind, hint_of(line, point));
  }
}

}  // namespace

std::string svg(const LineChart& chart) {
  Drawing drawing;
  std::vector<LegendEntry> legend;
  if (chart.lines.size() > 1) {
    for (std::size_t i = 0; i < chart.lines.size(); ++i) legend.push_back({chart.lines[i].name, series_class(i)});
  }
  Ruler y = y_ruler(chart);
  Ruler x = x_ruler(chart);
  const std::vector<double> ticks = y.ticks(8);
  Area plot;
  plot.left = left_of_plot(ticks);
  plot.right = kWidth - 32;
  plot.top = draw_top(drawing, chart.heading, legend) + 36;
  plot.bottom = plot.top + kPlotHeight;
  y.place_between(plot.bottom, plot.top);
  x.place_between(plot.left, plot.right);

  draw_standing_values(drawing, plot, y, ticks, chart.y.title);
  draw_lying_values(drawing, plot, x, chart.x.title);
  draw_value_guides(drawing, plot, y, chart.y_guides);
  for (std::size_t i = 0; i < chart.lines.size(); ++i) draw_line(drawing, chart.lines[i], series_class(i), x, y);
  std::size_t row = 0;
  for (const Guide& guide : chart.x_guides) {
    if (x.accepts(guide.at)) draw_upright(drawing, plot, x.at(guide.at), guide.label, guide.plain, row++);
  }
  return finish(drawing, plot.bottom + kBelow, chart.heading);
}

}  // namespace cairn::chart
