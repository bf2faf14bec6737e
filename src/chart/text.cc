#include "chart/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "base/utf8.h"

namespace cairn::chart {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
constexpr std::string_view kEllipsis = "\xE2\x80\xA6";

struct Character {
  char32_t code = 0;
  std::size_t bytes = 1;
  bool valid = false;
};

Character character_at(std::string_view text, std::size_t at) {
  text.remove_prefix(at);
  const std::size_t length = utf8_sequence(text);
  if (length == 0) return {};
  return {utf8_code_point(text), length, true};
}

bool allowed_in_xml(char32_t code) {
  if (code < 0x20) return code == '\t' || code == '\n' || code == '\r';
  return code != 0xFFFE && code != 0xFFFF && !(code >= 0x7F && code < 0xA0);
}

// Share of the font size; a little more than common faces take.
double advance(char32_t code) {
  if (code < 0x80) {
    const char c = static_cast<char>(code);
    constexpr std::string_view kNarrow = " .,:;'|!ijlI/\\";
    constexpr std::string_view kSmall = "()[]{}-\"*ftr`";
    constexpr std::string_view kWide = "mwMW@%+=<>~^#&QOGDHNU";
    if (kNarrow.find(c) != std::string_view::npos) return 0.37;
    if (kSmall.find(c) != std::string_view::npos) return 0.48;
    if (kWide.find(c) != std::string_view::npos) return 0.9;
    if (c >= 'A' && c <= 'Z') return 0.72;
    return 0.64;
  }
  if ((code >= 0x300 && code < 0x370) || (code >= 0x200B && code <= 0x200F)) return 0;
  if (code >= 0x1100) return 1.05;  // East Asian and symbols
  return 0.72;
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const Character character = character_at(text, at);
    if (!character.valid || !allowed_in_xml(character.code)) {
      out += kReplacement;
    } else if (character.code == '&') {
      out += "&amp;";
    } else if (character.code == '<') {
      out += "&lt;";
    } else if (character.code == '>') {
      out += "&gt;";
    } else if (character.code == '"') {
      out += "&quot;";
    } else if (character.code == '\'') {
      out += "&#39;";
    } else {
      out += text.substr(at, character.bytes);
    }
    at += character.bytes;
  }
  return out;
}

double width_of(std::string_view text, double font_size) {
  double width = 0;
  for (std::size_t at = 0; at < text.size();) {
    const Character character = character_at(text, at);
    width += character.valid ? advance(character.code) : 1.05;
    at += character.bytes;
  }
  return width * font_size;
}

std::string shortened(std::string_view text, double font_size, double width) {
  if (width_of(text, font_size) <= width) return std::string(text);
  double used = font_size;  // the ellipsis
  std::size_t at = 0;
  while (at < text.size()) {
    const Character character = character_at(text, at);
    used += (character.valid ? advance(character.code) : 1.05) * font_size;
    if (used > width) break;
    at += character.bytes;
  }
  while (at > 0 && text[at - 1] == ' ') --at;
  return std::string(text.substr(0, at)) + std::string(kEllipsis);
}

std::vector<std::string> wrapped(std::string_view text, double font_size, double width) {
  std::vector<std::string> lines;
  std::string line;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_of(" \n", at), text.size());
    const std::string word = shortened(text.substr(at, end - at), font_size, width);
    if (!word.empty()) {
      if (!line.empty() && width_of(line + ' ' + word, font_size) > width) {
        lines.push_back(std::move(line));
        line.clear();
      }
      if (!line.empty()) line += ' ';
      line += word;
    }
    if (end < text.size() && text[end] == '\n' && !line.empty()) {
      lines.push_back(std::move(line));
      line.clear();
    }
    at = end + 1;
  }
  if (!line.empty()) lines.push_back(std::move(line));
  return lines;
}

std::string number_text(double value) {
  const double size = std::abs(value);
  if (size == 0) return "0";
  if (size < 1e-4 || size >= 1e15) return fmt::format("{:.3g}", value);
  struct Unit {
    double factor;
    const char* letter;
  };
  constexpr std::array<Unit, 5> kUnits = {{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e5, "k"}, {0, ""}}};
  for (const Unit& unit : kUnits) {
    if (size < unit.factor) continue;
    if (unit.factor == 0) return size >= 1000 ? fmt::format("{:.0f}", value) : fmt::format("{:.4g}", value);
    return fmt::format("{:.4g}{}", value / (unit.factor == 1e5 ? 1e3 : unit.factor), unit.letter);
  }
  return {};
}

std::string place(double value) {
  std::string text = fmt::format("{:.2f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text == "-0" ? "0" : text;
}

}  // namespace cairn::chart
