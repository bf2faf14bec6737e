// Text in HTML and SVG pages.
#pragma once

#include <string>
#include <string_view>

namespace cairn::cli {

// With &, < and > as entities; what is no UTF-8 is replaced. Not for attributes.
std::string html_text(std::string_view text);

}  // namespace cairn::cli
