#include "chart/frame.h"

#include <algorithm>
#include <cmath>

#include "chart/text.h"

namespace cairn::chart {
namespace {

constexpr double kSide = 24;
constexpr double kTextWidth = kWidth - 2 * kSide;
constexpr double kLegendRow = 20;
constexpr double kSwatch = 12;

double draw_legend(Drawing& drawing, double top, const std::vector<LegendEntry>& legend) {
  double x = kSide;
  double y = top + kLegendRow;
  for (const LegendEntry& entry : legend) {
    const std::string name = shortened(entry.name, kLabelSize, 300);
    const double width = kSwatch + 6 + width_of(name, kLabelSize) + 18;
    if (x > kSide && x + width > kWidth - kSide) {
      x = kSide;
      y += kLegendRow;
    }
    drawing.rectangle(x, y - kSwatch + 2, kSwatch, kSwatch, "fill " + entry.kind, name == entry.name ? "" : entry.name);
    drawing.text(x + kSwatch + 6, y, "label", Anchor::Start, name);
    x += width;
  }
  return y;
}

}  // namespace

double draw_top(Drawing& drawing, const Heading& heading, const std::vector<LegendEntry>& legend) {
  double y = 0;
  for (const std::string& line : wrapped(heading.title, 19, kTextWidth)) {
    drawing.text(kSide, y + 24, "title", Anchor::Start, line);
    y += 26;
  }
  for (const std::string& line : wrapped(heading.subtitle, 13, kTextWidth)) {
    drawing.text(kSide, y + 18, "subtitle", Anchor::Start, line);
    y += 20;
  }
  if (!legend.empty()) y = draw_legend(drawing, y + 4, legend);
  return y;
}

double left_of_plot(const std::vector<double>& ticks) {
  double widest = 0;
  for (const double tick : ticks) widest = std::max(widest, width_of(number_text(tick), kLabelSize));
  return std::max(64.0, widest + 20);
}

void draw_standing_values(Drawing& drawing, const Area& plot, const Ruler& ruler, const std::vector<double>& ticks,
                          const std::string& title) {
  for (const double tick : ticks) {
    const double y = ruler.at(tick);
    drawing.line(plot.left, y, plot.right, y, "grid");
    drawing.text(plot.left - 8, y + 4, "muted", Anchor::End, number_text(tick));
  }
  drawing.text(kSide, plot.top - 12, "muted", Anchor::Start, shortened(title, kLabelSize, kTextWidth));
}

void draw_value_guides(Drawing& drawing, const Area& plot, const Ruler& ruler, const std::vector<Guide>& guides) {
  double last_label = -100;
  for (const Guide& guide : guides) {
    if (!ruler.accepts(guide.at)) continue;
    const double y = ruler.at(guide.at);
    drawing.line(plot.left, y, plot.right, y, guide.plain ? "even" : "guide");
    if (guide.label.empty()) continue;
    double label = y - 5;
    if (label - 10 < plot.top) label = y + 15;
    if (std::abs(label - last_label) < 14) label = last_label + 14;
    drawing.text(plot.right - 6, label, "halo", Anchor::End, shortened(guide.label, kLabelSize, plot.width() / 2));
    last_label = label;
  }
}

void draw_upright(Drawing& drawing, const Area& plot, double x, const std::string& label, bool plain, std::size_t row) {
  drawing.line(x, plot.top, x, plot.bottom, plain ? "even" : "guide");
  if (label.empty()) return;
  const std::string words = shortened(label, kLabelSize, plot.width() / 2 - 12);
  const double y = plot.top + 14 + 16 * static_cast<double>(row % 8);
  const bool to_the_right = x + 8 + width_of(words, kLabelSize) <= plot.right;
  drawing.text(to_the_right ? x + 7 : x - 7, y, "halo", to_the_right ? Anchor::Start : Anchor::End, words);
}

std::string finish(Drawing& drawing, double y, const Heading& heading) {
  const std::vector<std::string> lines = wrapped(heading.caption, kLabelSize, kTextWidth);
  for (const std::string& line : lines) {
    drawing.text(kSide, y + 14, "muted", Anchor::Start, line);
    y += 17;
  }
  return drawing.finish(lines.empty() ? y : y + 10, heading.title, heading.description);
}

}  // namespace cairn::chart
