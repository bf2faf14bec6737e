#include "cli/display_text.h"

#include <fmt/format.h>

#include "base/utf8.h"

namespace cairn::cli {
namespace {

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

// Whether `text` starts with a control character: C0, DEL, or C1 (two bytes in UTF-8). Sets its length.
bool starts_with_control(std::string_view text, std::size_t& length) {
  const auto first = static_cast<unsigned char>(text[0]);
  length = 1;
  if (first < 0x20 || first == 0x7f) return true;
  if (first != 0xc2 || text.size() < 2) return false;
  length = 2;
  return static_cast<unsigned char>(text[1]) >= 0x80 && static_cast<unsigned char>(text[1]) < 0xa0;
}

}  // namespace

std::string replaced(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (true) {
    const std::size_t plain = ascii_length(text);
    out += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) return out;
    const std::size_t length = utf8_sequence(text);
    if (length == 0) {
      out += '?';
      text.remove_prefix(1);
    } else {
      out += text.substr(0, length);
      text.remove_prefix(length);
    }
  }
}

std::string terminal_safe(std::string_view text) {
  const std::string valid = replaced(text);
  std::string out;
  std::string_view rest = valid;
  while (!rest.empty()) {
    std::size_t length = 1;
    if (starts_with_control(rest, length) && rest[0] != '\n' && rest[0] != '\t')
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(rest[length - 1]));
    else
      out += rest.substr(0, length);
    rest.remove_prefix(length);
  }
  return out;
}

std::string one_line(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\n') {
      out += "\\x0a";
    } else {
      out += c;
    }
  }
  return out;
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  for (const char c : text) width += is_continuation(c) ? 0U : 1U;
  return width;
}

std::string middle_shortened(std::string_view text, std::size_t columns) {
  const std::size_t width = display_width(text);
  if (width <= columns) return std::string(text);
  constexpr std::string_view kDots = "...";
  if (columns <= kDots.size()) return std::string(kDots.substr(0, columns));
  const std::size_t keep_front = (columns - kDots.size()) / 2;
  const std::size_t skip = width - (columns - kDots.size() - keep_front);  // the back starts at this code point
  std::string front, back;
  std::size_t index = 0;
  for (std::size_t i = 0; i < text.size(); ++index) {
    std::size_t end = i + 1;
    while (end < text.size() && is_continuation(text[end])) ++end;
    if (index < keep_front) front += text.substr(i, end - i);
    if (index >= skip) back += text.substr(i, end - i);
    i = end;
  }
  return front + std::string(kDots) + back;
}

}  // namespace cairn::cli
