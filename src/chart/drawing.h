// The elements that charts are made of, written as SVG with the colours of house, light and dark. Not for other rooms.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cairn::chart {

inline constexpr double kWidth = 1120;
inline constexpr double kLabelSize = 12;  // of tick labels, legends, captions

enum class Anchor { Start, Middle, End };

class Drawing {
 public:
  // `kind`: class names of the style sheet in drawing.cc.
  void text(double x, double y, std::string_view kind, Anchor anchor, std::string_view words);
  // Ends at (x, y), rising from the lower left.
  void slanted_text(double x, double y, std::string_view kind, std::string_view words, std::string_view hint);
  void line(double x1, double y1, double x2, double y2, std::string_view kind);
  void rectangle(double x, double y, double width, double height, std::string_view kind, std::string_view hint = {});
  void circle(double x, double y, double radius, std::string_view kind, std::string_view hint);
  void path(std::string_view steps, std::string_view kind);

  std::string finish(double height, std::string_view title, std::string_view description) const;
  // Pictures that finish() made, one below the other in one document.
  static std::string stacked(const std::vector<std::string>& pictures);

 private:
  void hint_and_close(std::string_view element, std::string_view hint);
  std::string body_;
};

// The class of the n-th series: "s0" ...; there are eight colours.
std::string series_class(std::size_t series);

}  // namespace cairn::chart
