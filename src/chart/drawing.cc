#include "chart/drawing.h"

#include <cstdlib>

#include <fmt/format.h>

#include "chart/text.h"

namespace cairn::chart {
namespace {

// Plain rules, no CSS variables: some viewers and converters do not know those.
constexpr std::string_view kStyle =
    ".cairn-chart{font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans','DejaVu Sans',sans-serif}"
    ".cairn-chart text{font-size:12px;fill:#14140f}"
    ".cairn-chart .title{font-size:18px;font-weight:600}"
    ".cairn-chart .subtitle{font-size:13px}"
    ".cairn-chart .muted,.cairn-chart .subtitle{fill:#6b6a63}"
    ".cairn-chart .halo{paint-order:stroke;stroke:#ffffff;stroke-width:5px;stroke-linejoin:round}"
    ".cairn-chart .back{fill:#ffffff}"
    ".cairn-chart .grid{stroke:#e1e0d9;stroke-width:1}"
    ".cairn-chart .edge{stroke:#6b6a63;stroke-width:1}"
    ".cairn-chart .even{stroke:#6b6a63;stroke-width:1;stroke-dasharray:6 4}"
    ".cairn-chart .guide{stroke:#14140f;stroke-width:1.5;stroke-dasharray:2 4}"
    ".cairn-chart .line{stroke:currentColor;fill:none;stroke-width:2;stroke-linejoin:round;stroke-linecap:round}"
    ".cairn-chart .again{stroke-dasharray:7 5}"
    ".cairn-chart .whisker{stroke:currentColor;stroke-width:1.2}"
    ".cairn-chart .fill{fill:currentColor}"
    ".cairn-chart .pale{fill-opacity:0.55}"
    ".cairn-chart .s0,.cairn-chart .good{color:#2a78d6}"
    ".cairn-chart .bad{color:#d03b3b}"
    ".cairn-chart .s1{color:#c86a0a}"
    ".cairn-chart .s2{color:#2f8f5b}"
    ".cairn-chart .s3{color:#8450c8}"
    ".cairn-chart .s4{color:#0b8c9c}"
    ".cairn-chart .s5{color:#b8478f}"
    ".cairn-chart .s6{color:#7d7423}"
    ".cairn-chart .s7{color:#6b6a63}"
    "@media (prefers-color-scheme:dark){"
    ".cairn-chart text{fill:#f1f0ea}"
    ".cairn-chart .muted,.cairn-chart .subtitle{fill:#a9a79d}"
    ".cairn-chart .halo{stroke:#1a1a18}"
    ".cairn-chart .back{fill:#1a1a18}"
    ".cairn-chart .grid{stroke:#3a3935}"
    ".cairn-chart .edge,.cairn-chart .even{stroke:#a9a79d}"
    ".cairn-chart .guide{stroke:#f1f0ea}"
    ".cairn-chart .s0,.cairn-chart .good{color:#5b9ff0}"
    ".cairn-chart .bad{color:#ef6a6a}"
    ".cairn-chart .s1{color:#eb9440}"
    ".cairn-chart .s2{color:#58bd86}"
    ".cairn-chart .s3{color:#ac86ea}"
    ".cairn-chart .s4{color:#43bccb}"
    ".cairn-chart .s5{color:#e37fbe}"
    ".cairn-chart .s6{color:#b9ae4e}"
    ".cairn-chart .s7{color:#a9a79d}"
    "}";

std::string_view anchor_text(Anchor anchor) {
  switch (anchor) {
    case Anchor::Start:
      return "start";
    case Anchor::Middle:
      return "middle";
    case Anchor::End:
      return "end";
  }
  return "start";
}

}  // namespace

std::string series_class(std::size_t series) { return fmt::format("s{}{}", series % 8, series >= 8 ? " again" : ""); }

void Drawing::text(double x, double y, std::string_view kind, Anchor anchor, std::string_view words) {
  body_ += fmt::format("<text x=\"{}\" y=\"{}\" class=\"{}\" text-anchor=\"{}\">{}</text>\n", place(x), place(y), kind,
                       anchor_text(anchor), escaped(words));
}

void Drawing::slanted_text(double x, double y, std::string_view kind, std::string_view words, std::string_view hint) {
  body_ +=
      fmt::format("<text x=\"{0}\" y=\"{1}\" class=\"{2}\" text-anchor=\"end\" transform=\"rotate(-45 {0} {1})\">{3}",
                  place(x), place(y), kind, escaped(words));
  if (!hint.empty()) body_ += fmt::format("<title>{}</title>", escaped(hint));
  body_ += "</text>\n";
}

void Drawing::line(double x1, double y1, double x2, double y2, std::string_view kind) {
  body_ += fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" class=\"{}\"/>\n", place(x1), place(y1),
                       place(x2), place(y2), kind);
}

void Drawing::hint_and_close(std::string_view element, std::string_view hint) {
  body_ += hint.empty() ? std::string("/>\n") : fmt::format("><title>{}</title></{}>\n", escaped(hint), element);
}

void Drawing::rectangle(double x, double y, double width, double height, std::string_view kind, std::string_view hint) {
  body_ += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" class=\"{}\"", place(x), place(y),
                       place(width), place(height), kind);
  hint_and_close("rect", hint);
}

void Drawing::circle(double x, double y, double radius, std::string_view kind, std::string_view hint) {
  body_ += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\" class=\"{}\"", place(x), place(y), place(radius), kind);
  hint_and_close("circle", hint);
}

void Drawing::path(std::string_view steps, std::string_view kind) {
  body_ += fmt::format("<path d=\"{}\" class=\"{}\"/>\n", steps, kind);
}

std::string Drawing::finish(double height, std::string_view title, std::string_view description) const {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"cairn-chart\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
      "height=\"{1}\" role=\"img\" aria-label=\"{2}\">\n<title>{3}</title>\n<style>{4}</style>\n"
      "<rect x=\"0\" y=\"0\" width=\"{0}\" height=\"{1}\" class=\"back\"/>\n{5}</svg>\n",
      place(kWidth), place(height), escaped(description.empty() ? title : description), escaped(title), kStyle, body_);
}

std::string Drawing::stacked(const std::vector<std::string>& pictures) {
  constexpr std::string_view kHeight = " height=\"";
  std::string inside;
  double height = 0;
  for (const std::string& picture : pictures) {
    // finish() wrote it: an <svg with its height first of all.
    const std::size_t at = picture.find(kHeight) + kHeight.size();
    inside += fmt::format("<svg y=\"{}\"{}", place(height), picture.substr(std::string_view("<svg").size()));
    height += std::strtod(picture.c_str() + at, nullptr);
  }
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\">\n{2}</svg>\n",
      place(kWidth), place(height), inside);
}

}  // namespace cairn::chart
