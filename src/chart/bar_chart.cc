// Bars in groups: standing on an axis for ladders of numbers, or lying beside their names.
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
constexpr double kShare = 0.7;  // of a slot that bars fill
constexpr double kSlope = 0.7071067811865476;
constexpr double kRoomyName = 100;  // a name may be shortened to so much, rather than slanted
constexpr double kLongestSlanted = 200;

Ruler value_ruler(const BarChart& chart) {
  Extent extent(chart.value.scale);
  if (chart.value.scale == Scale::Linear) extent.add(0);
  for (const BarGroup& group : chart.groups) {
    for (const std::optional<Bar>& bar : group.bars) {
      if (bar) extent.add(bar->value);
    }
  }
  for (const Guide& guide : chart.value_guides) extent.add(guide.at);
  return {chart.value, extent, Ruler::Edge::Rounded};
}

std::string kind_of(const Bar& bar, std::size_t series) {
  switch (bar.tone) {
    case Tone::Good:
      return "fill good";
    case Tone::Bad:
      return "fill bad";
    case Tone::Series:
      break;
  }
  return "fill " + series_class(series) + (series >= 8 ? " pale" : "");
}

std::string hint_of(const BarChart& chart, const BarGroup& group, std::size_t series, const Bar& bar) {
  if (!bar.hint.empty()) return bar.hint;
  std::string hint = group.name;
  if (chart.series.size() > 1) hint += ", " + chart.series[series];
  return hint + ": " + number_text(bar.value);
}

std::vector<LegendEntry> legend_of(const BarChart& chart) {
  std::vector<LegendEntry> legend;
  if (chart.series.size() < 2) return legend;
  for (std::size_t i = 0; i < chart.series.size(); ++i) legend.push_back({chart.series[i], kind_of(Bar{}, i)});
  return legend;
}

double bar_base(const BarChart& chart, const Ruler& ruler) {
  return ruler.at(chart.value.scale == Scale::Linear ? 0 : ruler.low());
}

// Where the names of standing groups go: in a row if all fit, else slanted and perhaps not all.
struct Names {
  bool slanted = false;
  std::size_t every = 1;
  double room = 0;    // below the plot
  double widest = 0;  // longer ones are shortened
};

Names place_names(const BarChart& chart, double slot) {
  Names names;
  double widest = 0;
  for (const BarGroup& group : chart.groups) widest = std::max(widest, width_of(group.name, kLabelSize));
  const std::size_t count = chart.groups.size();
  if (chart.most_labels > 0) names.every = (count + chart.most_labels - 1) / chart.most_labels;
  names.every = std::max<std::size_t>(names.every, 1);
  const double free = slot * static_cast<double>(names.every) - 6;
  names.slanted = widest > free && free < kRoomyName;
  if (names.slanted) {
    names.every = std::max(names.every, static_cast<std::size_t>(std::ceil(15 / slot)));
    names.widest = kLongestSlanted;
    names.room = kSlope * (std::min(widest, names.widest) + kLabelSize) + 4;
  } else {
    names.widest = free;
    names.room = 18;
  }
  return names;
}

void draw_standing_bars(Drawing& drawing, const BarChart& chart, const Area& plot, const Ruler& ruler,
                        const Names& names) {
  const double slot = plot.width() / static_cast<double>(std::max<std::size_t>(chart.groups.size(), 1));
  const double bar_width = slot * kShare / static_cast<double>(chart.series.size());
  const double base = bar_base(chart, ruler);
  for (std::size_t g = 0; g < chart.groups.size(); ++g) {
    const BarGroup& group = chart.groups[g];
    const double left = plot.left + slot * (static_cast<double>(g) + (1 - kShare) / 2);
    for (std::size_t s = 0; s < std::min(group.bars.size(), chart.series.size()); ++s) {
      const std::optional<Bar>& bar = group.bars[s];
      if (!bar || !ruler.accepts(bar->value)) continue;
      const double end = ruler.at(bar->value);
      const double width = std::max(bar_width * (chart.series.size() > 1 ? 0.92 : 1), std::min(2.0, slot));
      drawing.rectangle(left + bar_width * static_cast<double>(s), std::min(base, end), width,
                        std::max(std::abs(end - base), 0.5), kind_of(*bar, s), hint_of(chart, group, s, *bar));
    }
    if (g % names.every != 0) continue;
    const double middle = plot.left + slot * (static_cast<double>(g) + 0.5);
    if (names.slanted) {
      const double fits = std::min(names.widest, (middle - 6) / kSlope);
      const std::string words = shortened(group.name, kLabelSize, fits);
      drawing.slanted_text(middle + 4, plot.bottom + 14, "muted", words, words == group.name ? "" : group.name);
    } else {
      drawing.text(middle, plot.bottom + 18, "muted", Anchor::Middle, shortened(group.name, kLabelSize, names.widest));
    }
  }
}

std::string standing(const BarChart& chart) {
  Drawing drawing;
  Ruler ruler = value_ruler(chart);
  const std::vector<double> ticks = ruler.ticks(8);
  Area plot;
  plot.left = left_of_plot(ticks);
  plot.right = kWidth - 24;
  plot.top = draw_top(drawing, chart.heading, legend_of(chart)) + 36;
  plot.bottom = plot.top + kPlotHeight;
  ruler.place_between(plot.bottom, plot.top);

  const double slot = plot.width() / static_cast<double>(std::max<std::size_t>(chart.groups.size(), 1));
  const Names names = place_names(chart, slot);
  draw_standing_values(drawing, plot, ruler, ticks, chart.value.title);
  draw_standing_bars(drawing, chart, plot, ruler, names);
  const double base = bar_base(chart, ruler);
  drawing.line(plot.left, base, plot.right, base, "edge");
  draw_value_guides(drawing, plot, ruler, chart.value_guides);
  if (chart.boundary && chart.boundary->before <= chart.groups.size()) {
    const double x = plot.left + slot * static_cast<double>(chart.boundary->before);
    draw_upright(drawing, plot, x, chart.boundary->label, false, 0);
  }
  double y = plot.bottom + names.room;
  if (!chart.group_title.empty()) {
    y += 20;
    drawing.text((plot.left + plot.right) / 2, y, "muted", Anchor::Middle,
                 shortened(chart.group_title, kLabelSize, plot.width()));
  }
  return finish(drawing, y + 16, chart.heading);
}

std::string lying(const BarChart& chart) {
  Drawing drawing;
  Ruler ruler = value_ruler(chart);
  const double thickness = chart.series.size() > 1 ? 14 : 18;
  double widest = 0;
  for (const BarGroup& group : chart.groups) widest = std::max(widest, width_of(group.name, kLabelSize));
  const double name_room = std::min(widest, 330.0);
  Area plot;
  plot.left = std::max(64.0, 24 + name_room + 10);
  plot.right = kWidth - 96;  // the values stand behind the bars
  plot.top = draw_top(drawing, chart.heading, legend_of(chart)) + 16;
  ruler.place_between(plot.left, plot.right);

  // Only bars that exist take room.
  const auto drawable = [&](const std::optional<Bar>& bar) { return bar && ruler.accepts(bar->value); };
  double y = plot.top + 6;
  std::vector<double> tops;
  for (const BarGroup& group : chart.groups) {
    tops.push_back(y);
    const auto bars = static_cast<std::size_t>(std::ranges::count_if(group.bars, drawable));
    y += thickness * static_cast<double>(std::max<std::size_t>(bars, 1)) + 10;
  }
  plot.bottom = y;
  const std::vector<double> ticks = ruler.ticks(9);
  for (const double tick : ticks) {
    drawing.line(ruler.at(tick), plot.top, ruler.at(tick), plot.bottom, "grid");
    drawing.text(ruler.at(tick), plot.bottom + 16, "muted", Anchor::Middle, number_text(tick));
  }
  const double base = bar_base(chart, ruler);
  for (std::size_t g = 0; g < chart.groups.size(); ++g) {
    const BarGroup& group = chart.groups[g];
    double top = tops[g];
    const double height = (g + 1 < tops.size() ? tops[g + 1] : plot.bottom) - tops[g] - 10;
    drawing.text(plot.left - 10, top + height / 2 + 4, "label", Anchor::End,
                 shortened(group.name, kLabelSize, name_room));
    for (std::size_t s = 0; s < std::min(group.bars.size(), chart.series.size()); ++s) {
      if (!drawable(group.bars[s])) continue;
      const Bar& bar = *group.bars[s];
      const double end = ruler.at(bar.value);
      drawing.rectangle(std::min(base, end), top + 1, std::max(std::abs(end - base), 0.5), thickness - 2,
                        kind_of(bar, s), hint_of(chart, group, s, bar));
      drawing.text(std::max(base, end) + 6, top + thickness / 2 + 4, "muted", Anchor::Start, number_text(bar.value));
      top += thickness;
    }
  }
  drawing.line(base, plot.top, base, plot.bottom, "edge");
  std::size_t row = 0;
  for (const Guide& guide : chart.value_guides) {
    if (ruler.accepts(guide.at)) draw_upright(drawing, plot, ruler.at(guide.at), guide.label, guide.plain, row++);
  }
  y = plot.bottom + 38;
  drawing.text((plot.left + plot.right) / 2, y, "muted", Anchor::Middle,
               shortened(chart.value.title, kLabelSize, plot.width()));
  return finish(drawing, y + 16, chart.heading);
}

}  // namespace

std::string svg(const BarChart& chart) {
  if (chart.series.empty()) {
    BarChart named = chart;
    named.series.emplace_back();
    return svg(named);
  }
  return chart.direction == Direction::Standing ? standing(chart) : lying(chart);
}

std::string svg(const Chart& chart) {
  return std::visit([](const auto& one) { return svg(one); }, chart);
}

std::string svg(std::span<const Chart> charts) {
  std::vector<std::string> pictures;
  for (const Chart& chart : charts) pictures.push_back(svg(chart));
  return Drawing::stacked(pictures);
}

}  // namespace cairn::chart
