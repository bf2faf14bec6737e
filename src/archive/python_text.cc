#include "archive/python_text.h"

#include <cstdint>

#include <fmt/format.h>

#include "base/utf8.h"

namespace cairn::archive {
namespace {

constexpr char32_t kSurrogateEscape = 0xdc00;

bool is_printable(char32_t point) {
  if (point < 0x20 || (point >= 0x7f && point <= 0xa0) || point == 0xad) return false;
  if (point >= 0x2000 && point <= 0x200f) return false;  // spaces and directional marks
  if (point >= 0x2028 && point <= 0x202f) return false;
  if (point >= 0x205f && point <= 0x206f) return false;
  if (point >= 0xd800 && point < 0xf900) return false;  // surrogates, private use
  return point != 0x1680 && point != 0x3000 && point != 0xfeff && point < 0xe0000;
}

}  // namespace

std::u32string code_points(std::string_view text) {
  std::u32string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = utf8_sequence(text);
    out.push_back(length > 0 ? utf8_code_point(text) : kSurrogateEscape + static_cast<unsigned char>(text[0]));
    text.remove_prefix(length > 0 ? length : 1);
  }
  return out;
}

std::strong_ordering compare_code_points(std::string_view a, std::string_view b) {
  // Valid UTF-8 sorts like its code points; a byte beside it does not.
  const auto plain = [](std::string_view text) { return ascii_length(text) == text.size(); };
  if (plain(a) && plain(b)) return a <=> b;
  return code_points(a) <=> code_points(b);
}

std::string from_code_points(std::u32string_view points) {
  std::string out;
  out.reserve(points.size());
  for (const char32_t point : points) {
    if (point >= kSurrogateEscape + 0x80 && point <= kSurrogateEscape + 0xff) {
      out += static_cast<char>(static_cast<std::uint8_t>(point - kSurrogateEscape));
    } else {
      append_utf8(out, point);
    }
  }
  return out;
}

std::string python_repr(std::string_view text) {
  const bool has_single = text.find('\'') != std::string_view::npos;
  const bool has_double = text.find('"') != std::string_view::npos;
  const char quote = has_single && !has_double ? '"' : '\'';
  std::string out(1, quote);
  for (const char32_t point : code_points(text)) {
    if (point == static_cast<char32_t>(quote) || point == U'\\') {
      out += '\\';
      out += static_cast<char>(point);
    } else if (point == U'\n') {
      out += "\\n";
    } else if (point == U'\r') {
      out += "\\r";
    } else if (point == U'\t') {
      out += "\\t";
    } else if (is_printable(point)) {
      out += from_code_points({&point, 1});
    } else if (point < 0x100) {
      out += fmt::format("\\x{:02x}", static_cast<std::uint32_t>(point));
    } else if (point < 0x10000) {
      out += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(point));
    } else {
      out += fmt::format("\\U{:08x}", static_cast<std::uint32_t>(point));
    }
  }
  out += quote;
  return out;
}

std::string python_repr(std::span<const std::string> texts) {
  std::string out = "[";
  for (const std::string& text : texts) {
    if (out.size() > 1) out += ", ";
    out += python_repr(std::string_view(text));
  }
  return out + "]";
}

std::string python_bytes_repr(std::string_view bytes) {
  const bool double_quotes = bytes.find('\'') != std::string_view::npos && bytes.find('"') == std::string_view::npos;
  const char quote = double_quotes ? '"' : '\'';
  std::string out = "b";
  out += quote;
  for (const char c : bytes) {
    if (c == quote || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\t' || c == '\n' || c == '\r') {
      out += c == '\t' ? "\\t" : c == '\n' ? "\\n" : "\\r";
    } else if (c >= ' ' && c <= '~') {
      out += c;
    } else {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
  }
  out += quote;
  return out;
}

}  // namespace cairn::archive
