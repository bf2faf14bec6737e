// Charts are read back as XML: what must be there is there, inside the picture, and labels do not cover each other.
#include "chart/chart.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "chart/text.h"
#include "chart/xml_for_test.h"

namespace cairn::chart {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Box {
  double left, right, top, bottom;
};

double font_size(const XmlElement& element) {
  if (element.is_of_class("title")) return 18;
  return element.is_of_class("subtitle") ? 13 : 12;
}

Box box_of_text(const XmlElement& text) {
  const double x = text.number("x");
  const double y = text.number("y");
  const double width = width_of(text.text, font_size(text));
  const double height = font_size(text);
  if (text.attributes.contains("transform")) {  // by 45 degrees, ending at (x, y)
    const double slope = std::sqrt(0.5);
    return {x - (width + height) * slope, x + 1, y - height * slope, y + (width + 3) * slope};
  }
  const std::string anchor = text.attributes.at("text-anchor");
  const double left = anchor == "start" ? x : anchor == "end" ? x - width : x - width / 2;
  return {left, left + width, y - height, y + 3};
}

Box box_of(const XmlElement& element) {
  if (element.name == "text") return box_of_text(element);
  if (element.name == "rect") {
    const double x = element.number("x");
    const double y = element.number("y");
    return {x, x + element.number("width"), y, y + element.number("height")};
  }
  if (element.name == "circle") {
    const double radius = element.number("r");
    return {element.number("cx") - radius, element.number("cx") + radius, element.number("cy") - radius,
            element.number("cy") + radius};
  }
  return {std::min(element.number("x1"), element.number("x2")), std::max(element.number("x1"), element.number("x2")),
          std::min(element.number("y1"), element.number("y2")), std::max(element.number("y1"), element.number("y2"))};
}

bool is_drawn(const XmlElement& element) {
  return element.name == "text" || element.name == "rect" || element.name == "circle" || element.name == "line";
}

std::vector<XmlElement> of_class(const std::vector<XmlElement>& all, const std::string& name, std::string_view word) {
  std::vector<XmlElement> found;
  for (const XmlElement& element : all) {
    if (element.name == name && element.is_of_class(word)) found.push_back(element);
  }
  return found;
}

std::vector<std::string> texts(const std::vector<XmlElement>& all) {
  std::vector<std::string> found;
  for (const XmlElement& element : all) {
    if (element.name == "text") found.push_back(element.text);
  }
  return found;
}

bool says(const std::vector<XmlElement>& all, const std::string& words) {
  return std::ranges::count(texts(all), words) > 0;
}

// Reads it and checks what holds for every chart.
std::vector<XmlElement> read_checked(const std::string& text) {
  std::vector<XmlElement> all = XmlReader::read(text);
  EXPECT_FALSE(all.empty());
  EXPECT_EQ(all.front().name, "svg");
  const double width = all.front().number("width");
  const double height = all.front().number("height");
  std::vector<std::pair<Box, std::string>> level_texts;
  for (const XmlElement& element : all) {
    if (!is_drawn(element)) continue;
    const Box box = box_of(element);
    EXPECT_GE(box.left, 0) << element.name << ' ' << element.text;
    EXPECT_LE(box.right, width) << element.name << ' ' << element.text;
    EXPECT_GE(box.top, 0) << element.name << ' ' << element.text;
    EXPECT_LE(box.bottom, height) << element.name << ' ' << element.text;
    if (element.name != "text" || element.attributes.contains("transform")) continue;
    for (const auto& [other, words] : level_texts) {
      const bool apart = box.right <= other.left || other.right <= box.left || box.bottom - 3 <= other.top ||
                         other.bottom - 3 <= box.top;
      EXPECT_TRUE(apart) << '"' << element.text << "\" covers \"" << words << '"';
    }
    level_texts.emplace_back(box, element.text);
  }
  EXPECT_EQ(text.find("nan"), std::string::npos);
  EXPECT_EQ(text.find("inf"), std::string::npos);
  return all;
}

LineChart threads_chart(int threads) {
  LineChart chart{.heading = {.title = "Memory bandwidth", .subtitle = "2 processors", .caption = "five runs"},
                  .x = {.title = "threads", .whole = true},
                  .y = {.title = "GiB/s"},
                  .lines = {{.name = "set"}, {.name = "copy"}}};
  for (int i = 1; i <= threads; ++i) {
    chart.lines[0].points.push_back({.x = static_cast<double>(i), .y = 10.0 * i, .spread = Spread{9.0 * i, 10.5 * i}});
    chart.lines[1].points.push_back({.x = static_cast<double>(i), .y = 6.0 * i});
  }
  return chart;
}

BarChart ladder_chart(int sizes) {
  BarChart chart{.heading = {.title = "Threshold", .description = "Speed-up; the threshold is 12 KiB"},
                 .group_title = "input size (KiB)",
                 .value = {.title = "speed-up", .scale = Scale::Log2, .from = 0.5, .to = 2},
                 .series = {"speed-up"}};
  for (int i = 1; i <= sizes; ++i) {
    const double ratio = 0.6 + i / 10.0;
    chart.groups.push_back(
        {std::to_string(4 * i), {Bar{ratio, ratio >= 1 ? Tone::Good : Tone::Bad, std::to_string(4 * i) + " KiB"}}});
  }
  return chart;
}

TEST(LineChart, ShowsTitleAxesUnitsLegendAndCaption) {
  const auto all = read_checked(svg(threads_chart(8)));
  for (const char* words : {"Memory bandwidth", "2 processors", "threads", "GiB/s", "set", "copy", "five runs", "80"}) {
    EXPECT_TRUE(says(all, words)) << words;
  }
  EXPECT_EQ(of_class(all, "path", "line").size(), 2U);
  EXPECT_EQ(of_class(all, "circle", "fill").size(), 16U);
}

TEST(LineChart, AnyNumberOfPointsFits) {
  for (int points = 0; points <= 40; ++points) {
    const auto all = read_checked(svg(threads_chart(points)));
    EXPECT_EQ(of_class(all, "circle", "fill").size(), 2U * static_cast<unsigned>(points));
  }
}

TEST(LineChart, ThreadsAreMarkedAsWholeNumbers) {
  for (const std::string& words : texts(read_checked(svg(threads_chart(2))))) {
    EXPECT_EQ(words.find("1."), std::string::npos) << words;
  }
}

TEST(LineChart, WhiskersReachFromLowToHigh) {
  LineChart chart = threads_chart(1);
  chart.y.to = 20;
  const auto whiskers = of_class(read_checked(svg(chart)), "line", "whisker");
  ASSERT_EQ(whiskers.size(), 3U);
  const auto circles = of_class(XmlReader::read(svg(chart)), "circle", "s0");
  EXPECT_GT(whiskers[0].number("y1"), circles.at(0).number("cy"));  // 9 is below 10, and y grows downward
  EXPECT_LT(whiskers[0].number("y2"), circles.at(0).number("cy"));
}

TEST(LineChart, PointsLieInOrderOnLogarithmicAxes) {
  LineChart chart{.x = {.title = "bytes", .scale = Scale::Log2}, .y = {.title = "seconds", .scale = Scale::Log10}};
  chart.lines.push_back({.name = "time"});
  for (int i = 0; i < 40; ++i) chart.lines[0].points.push_back({.x = std::pow(2, i), .y = 1e-9 * std::pow(4, i)});
  const auto circles = of_class(read_checked(svg(chart)), "circle", "fill");
  ASSERT_EQ(circles.size(), 40U);
  const double step = circles[1].number("cx") - circles[0].number("cx");
  for (std::size_t i = 1; i < circles.size(); ++i) {
    EXPECT_NEAR(circles[i].number("cx") - circles[i - 1].number("cx"), step, 0.1);
    EXPECT_LT(circles[i].number("cy"), circles[i - 1].number("cy"));
  }
}

TEST(LineChart, LeavesOutWhatCannotBeDrawn) {
  LineChart chart{.x = {.scale = Scale::Log2}};
  chart.lines.push_back({.name = "odd",
                         .points = {{.x = 0, .y = 1},
                                    {.x = 1, .y = kInfinity},
                                    {.x = 2, .y = std::nan("")},
                                    {.x = 4, .y = 3, .spread = Spread{-kInfinity, 4}},
                                    {.x = -8, .y = 3}}});
  chart.x_guides.push_back({.at = -1, .label = "nowhere"});
  const auto all = read_checked(svg(chart));
  EXPECT_EQ(of_class(all, "circle", "fill").size(), 1U);
  EXPECT_FALSE(says(all, "nowhere"));
}

TEST(LineChart, TinyAndHugeNumbersKeepTheirLabelsInside) {
  for (const double factor : {1e-300, 1e-12, 1e-3, 1.0, 1e6, 1e15, 1e200}) {
    LineChart chart = threads_chart(20);
    for (Line& line : chart.lines) {
      for (Point& point : line.points) {
        point.y *= factor;
        point.spread.reset();
      }
    }
    EXPECT_EQ(of_class(read_checked(svg(chart)), "circle", "fill").size(), 40U) << factor;
  }
}

TEST(LineChart, LongTextsAreWrappedOrShortened) {
  LineChart chart = threads_chart(5);
  std::string story;
  for (int i = 0; i < 60; ++i) story += "a story without an end ";
  chart.heading = {.title = story, .subtitle = story, .caption = story + std::string(500, 'W')};
  chart.x.title = chart.y.title = story;
  chart.lines[0].name = story;
  chart.x_guides = {{.at = 1, .label = "first " + story}, {.at = 5, .label = "last " + story}};
  const auto all = read_checked(svg(chart));
  EXPECT_GT(of_class(all, "text", "title").size(), 1U);
}

TEST(LineChart, GuidesHaveTheirLabels) {
  LineChart chart = threads_chart(12);
  chart.x_guides = {{.at = 8, .label = "knee"}, {.at = 12, .label = "all"}};
  chart.y_guides = {{.at = 100, .label = "limit"}};
  const auto all = read_checked(svg(chart));
  EXPECT_EQ(of_class(all, "line", "guide").size(), 3U);
  for (const char* words : {"knee", "all", "limit"}) EXPECT_TRUE(says(all, words)) << words;
}

TEST(BarChart, ColoursAndNamesBars) {
  const auto all = read_checked(svg(ladder_chart(10)));
  EXPECT_EQ(of_class(all, "rect", "bad").size(), 3U);
  EXPECT_EQ(of_class(all, "rect", "good").size(), 7U);
  EXPECT_TRUE(says(all, "input size (KiB)"));
  EXPECT_TRUE(says(all, "40"));
  EXPECT_EQ(all.front().attributes.at("aria-label"), "Speed-up; the threshold is 12 KiB");
}

TEST(BarChart, AnyNumberOfBarsFits) {
  for (int bars = 0; bars <= 130; ++bars) {
    const auto all = read_checked(svg(ladder_chart(bars)));
    EXPECT_EQ(of_class(all, "rect", "fill").size(), static_cast<unsigned>(bars));
  }
}

TEST(BarChart, NamesAtMostSoManyGroups) {
  BarChart chart = ladder_chart(46);
  chart.most_labels = 14;
  int named = 0;
  for (const std::string& words : texts(read_checked(svg(chart)))) {
    named += std::ranges::any_of(chart.groups, [&](const BarGroup& group) { return group.name == words; }) ? 1 : 0;
  }
  EXPECT_GE(named, 10);
  EXPECT_LE(named, 14);
}

TEST(BarChart, BoundaryStandsBetweenTwoGroups) {
  BarChart chart = ladder_chart(10);
  chart.boundary = BarChart::Boundary{.before = 4, .label = "threshold 20 KiB"};
  const auto all = read_checked(svg(chart));
  const auto bars = of_class(all, "rect", "fill");
  const auto line = of_class(all, "line", "guide");
  ASSERT_EQ(line.size(), 1U);
  EXPECT_LT(bars[3].number("x") + bars[3].number("width"), line[0].number("x1"));
  EXPECT_GT(bars[4].number("x"), line[0].number("x1"));
  EXPECT_TRUE(says(all, "threshold 20 KiB"));
}

TEST(BarChart, GroupsWithGapsInBothDirections) {
  for (const Direction direction : {Direction::Standing, Direction::Lying}) {
    BarChart chart{.heading = {.title = "Kernels"}, .value = {.title = "MB/s"}, .series = {"scalar", "avx2"}};
    chart.direction = direction;
    chart.groups = {{"fastcdc", {Bar{1000}, Bar{2500}}}, {"rabin", {Bar{300}, std::nullopt}}, {"none", {}}};
    const auto all = read_checked(svg(chart));
    EXPECT_EQ(of_class(all, "rect", "s0").size(), 3U);  // with the one in the legend
    EXPECT_EQ(of_class(all, "rect", "s1").size(), 2U);
    for (const char* words : {"scalar", "avx2", "fastcdc", "rabin", "none", "MB/s"})
      EXPECT_TRUE(says(all, words)) << words;
  }
}

TEST(BarChart, LongNamesAndExtremeNumbersInBothDirections) {
  for (const Direction direction : {Direction::Standing, Direction::Lying}) {
    for (const int groups : {1, 3, 12, 40}) {
      BarChart chart{.heading = {.title = "Names"}, .value = {.title = "MB/s"}, .series = {"a", "b", "c"}};
      chart.direction = direction;
      for (int i = 0; i < groups; ++i) {
        chart.groups.push_back({std::string(static_cast<std::size_t>(3 * i + 5), 'W'),
                                {Bar{std::pow(10, i)}, Bar{-std::pow(10, i)}, Bar{1e-9}}});
      }
      const auto all = read_checked(svg(chart));
      EXPECT_GE(of_class(all, "rect", "fill").size(), 3U * static_cast<unsigned>(groups));
    }
  }
}

TEST(BarChart, TextsAreEscaped) {
  BarChart chart = ladder_chart(2);
  chart.heading.title = "<script>\"&\" it's \x01 \xff</script>";
  const std::string text = svg(chart);
  EXPECT_EQ(text.find("<script"), std::string::npos);
  EXPECT_TRUE(says(read_checked(text), "<script>\"&\" it's \xEF\xBF\xBD \xEF\xBF\xBD</script>"));
}

TEST(Charts, AreTheSameEveryTime) {
  EXPECT_EQ(svg(ladder_chart(20)), svg(ladder_chart(20)));
  EXPECT_EQ(svg(threads_chart(20)), svg(threads_chart(20)));
}

TEST(Charts, StackInOnePicture) {
  const std::vector<Chart> charts = {threads_chart(4), ladder_chart(4)};
  const auto all = XmlReader::read(svg(charts));
  double sum = 0;
  for (const Chart& chart : charts) {
    const auto one = XmlReader::read(svg(chart));
    sum += one.front().number("height");
  }
  EXPECT_EQ(all.front().number("height"), sum);
  EXPECT_EQ(std::ranges::count(all, "svg", &XmlElement::name), 3);
  EXPECT_TRUE(says(all, "Memory bandwidth"));
  EXPECT_TRUE(says(all, "Threshold"));
  EXPECT_EQ(XmlReader::read(svg(std::span<const Chart>())).size(), 1U);
}

TEST(Charts, HaveColoursForLightAndDark) {
  const std::string text = svg(ladder_chart(3));
  EXPECT_NE(text.find("prefers-color-scheme:dark"), std::string::npos);
  EXPECT_NE(text.find("#2a78d6"), std::string::npos);
  EXPECT_EQ(text.find("http", text.find("xmlns") + 40), std::string::npos);  // no links to anywhere
}

TEST(NumberText, SuitsPeople) {
  EXPECT_EQ(number_text(0), "0");
  EXPECT_EQ(number_text(0.25), "0.25");
  EXPECT_EQ(number_text(48), "48");
  EXPECT_EQ(number_text(4096), "4096");
  EXPECT_EQ(number_text(99999), "99999");
  EXPECT_EQ(number_text(262144), "262.1k");
  EXPECT_EQ(number_text(2.5e6), "2.5M");
  EXPECT_EQ(number_text(-3e12), "-3T");
  EXPECT_EQ(number_text(1e-9), "1e-09");
  EXPECT_EQ(number_text(1e20), "1e+20");
}

}  // namespace
}  // namespace cairn::chart
