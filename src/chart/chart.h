// Plain SVG charts out of data: lines over a linear or logarithmic axis, and bars in groups.
//
// Output    one SVG document as text, 1120 units wide, complete in itself: no scripts, no fonts, no links. It may stand
//           alone in a file or inside an HTML page. The same chart always gives the same text.
// Colours   light, or dark where the reader prefers that (CSS inside; a viewer without CSS media shows the light one).
// Texts     any UTF-8; escaped here, wrapped, or shortened with an ellipsis where they would not fit (names of lines
// and
//           bars are then complete in the hover text).
// Numbers   those that cannot be drawn (not finite; not positive on a logarithmic axis) are left out.
// Source    docs/format (benchmark, section 4.5) for measures and colours.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace cairn::chart {

enum class Scale { Linear, Log2, Log10 };

struct Axis {
  std::string title{};  // with the unit: "input size (KiB)"
  Scale scale = Scale::Linear;
  // What the axis shows at least; it grows to hold the data. A linear value axis starts at zero unless `from` is set.
  std::optional<double> from{}, to{};
  bool whole = false;  // only whole numbers are marked: threads
};

struct Heading {
  std::string title{}, subtitle{};
  std::string caption{};      // below the chart: the machine, how it was measured
  std::string description{};  // for readers who cannot see it; the title if empty
};

// A line across the whole plot: dotted with a label, or (`plain`) dashed and without.
struct Guide {
  double at = 0;
  std::string label{};
  bool plain = false;
};

struct Spread {
  double low = 0, high = 0;
};

struct Point {
  double x = 0, y = 0;
  std::optional<Spread> spread{};  // drawn as a whisker
  std::string hint{};              // hover text; made from name and numbers if empty
};

struct Line {
  std::string name{};
  std::vector<Point> points{};  // ascending x
};

struct LineChart {
  Heading heading{};
  Axis x{}, y{};
  std::vector<Line> lines{};
  std::vector<Guide> x_guides{}, y_guides{};
};

// Tone::Series takes the colour of the bar's series.
enum class Tone { Series, Good, Bad };

struct Bar {
  double value = 0;
  Tone tone = Tone::Series;
  std::string hint{};
};

struct BarGroup {
  std::string name{};
  std::vector<std::optional<Bar>> bars{};  // one per series; nothing where a series has no such bar
};

// Standing bars suit ladders of numbers, lying ones suit names.
enum class Direction { Standing, Lying };

struct BarChart {
  Heading heading{};
  std::string group_title{};  // "input size (KiB)"
  Axis value{};
  std::vector<std::string> series{};  // at least one; a single one gets no legend
  std::vector<BarGroup> groups{};
  std::vector<Guide> value_guides{};
  struct Boundary {
    std::size_t before = 0;  // the group that it stands left of
    std::string label{};
  };
  std::optional<Boundary> boundary{};  // Standing only: a dotted line between groups
  Direction direction = Direction::Standing;
  std::size_t most_labels = 0;  // Standing only: name at most so many groups; 0: as many as fit
};

using Chart = std::variant<LineChart, BarChart>;

std::string svg(const LineChart& chart);
std::string svg(const BarChart& chart);
std::string svg(const Chart& chart);
// One picture, one below the other.
std::string svg(std::span<const Chart> charts);

}  // namespace cairn::chart
