#include "archive/python_text.h"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

namespace cairn::archive {
namespace {

constexpr char32_t kSurrogateEscape = 0xdc00;

struct Decoded {
  char32_t point;
  std::size_t length;
};

// One code point of strict UTF-8 at the front of `text`, which is not empty.
Decoded next_point(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  const Decoded raw{kSurrogateEscape + lead, 1};
  if (lead < 0xc2 || lead > 0xf4 || text.size() < length) return raw;
  char32_t point = lead & (0xffU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0U) != 0x80) return raw;
    point = point << 6 | (byte(i) & 0x3fU);
  }
  const bool overlong = (length == 3 && point < 0x800) || (length == 4 && point < 0x10000);
  if (overlong || (point >= 0xd800 && point < 0xe000) || point > 0x10ffff) return raw;
  return {point, length};
}

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
    const Decoded next = next_point(text);
    out.push_back(next.point);
    text.remove_prefix(next.length);
  }
  return out;
}

std::strong_ordering compare_code_points(std::string_view a, std::string_view b) {
  // Valid UTF-8 sorts like its code points; a byte beside it does not.
  const auto plain = [](std::string_view text) {
    return std::ranges::none_of(text, [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
  };
  if (plain(a) && plain(b)) return a <=> b;
  return code_points(a) <=> code_points(b);
}

std::string from_code_points(std::u32string_view points) {
  std::string out;
  out.reserve(points.size());
  const auto put = [&](char32_t byte) { out.push_back(static_cast<char>(static_cast<std::uint8_t>(byte))); };
  for (const char32_t point : points) {
    if (point < 0x80) {
      put(point);
    } else if (point >= kSurrogateEscape + 0x80 && point <= kSurrogateEscape + 0xff) {
      put(point - kSurrogateEscape);
    } else if (point < 0x800) {
      put(0xc0 | point >> 6);
      put(0x80 | (point & 0x3f));
    } else if (point < 0x10000) {
      put(0xe0 | point >> 12);
      put(0x80 | (point >> 6 & 0x3f));
      put(0x80 | (point & 0x3f));
    } else {
      put(0xf0 | point >> 18);
      put(0x80 | (point >> 12 & 0x3f));
      put(0x80 | (point >> 6 & 0x3f));
      put(0x80 | (point & 0x3f));
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
