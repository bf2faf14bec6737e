#include "cli/html_text.h"

#include "cli/display_text.h"

namespace cairn::cli {

std::string html_text(std::string_view text) {
  std::string out;
  for (const char c : replaced(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

}  // namespace cairn::cli
