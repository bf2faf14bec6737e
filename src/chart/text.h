// Texts in pictures: how wide they may get, how to make them fit, and how to write them as XML.
// Not for other rooms.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cairn::chart {

// XML text or attribute value. Bytes that are not UTF-8, and characters that XML forbids, become U+FFFD.
std::string escaped(std::string_view text);

// An upper estimate of the width in units: what a wide sans-serif face needs.
double width_of(std::string_view text, double font_size);

// The text itself if it fits into `width`, else its beginning and an ellipsis.
std::string shortened(std::string_view text, double font_size, double width);

// Lines of at most `width`, broken at blanks; a longer word is shortened. An empty text has no lines.
std::vector<std::string> wrapped(std::string_view text, double font_size, double width);

// A number for people: "0.25", "1.5", "48", "4096", "2.5M", "3e-07".
std::string number_text(double value);
// A coordinate: at most two decimals.
std::string place(double value);

}  // namespace cairn::chart
