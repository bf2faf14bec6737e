#include "base/utf8.h"

#include <cstdint>

#include "base/bytes.h"

namespace cairn {
namespace {

constexpr bool is_continuation(unsigned char byte) { return (byte & 0xc0U) == 0x80; }

// What the first byte announces; 0 for one that begins nothing.
constexpr std::size_t announced_length(unsigned char first) {
  if (first < 0x80) return 1;
  if (first < 0xc2) return 0;  // a byte from the middle, or the overlong form of ASCII
  if (first < 0xe0) return 2;
  if (first < 0xf0) return 3;
  return first < 0xf5 ? 4 : 0;
}

}  // namespace

std::size_t utf8_sequence(std::string_view text) {
  if (text.empty()) return 0;
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  const std::size_t length = announced_length(byte(0));
  if (text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if (!is_continuation(byte(i))) return 0;
  }
  if (length < 3) return length;
  const unsigned second = byte(1);
  if (first == 0xe0 && second < 0xa0) return 0;  // overlong
  if (first == 0xed && second > 0x9f) return 0;  // surrogates
  if (first == 0xf0 && second < 0x90) return 0;  // overlong
  if (first == 0xf4 && second > 0x8f) return 0;  // beyond U+10FFFF
  return length;
}

char32_t utf8_code_point(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::size_t length = announced_length(byte(0));
  if (length == 1) return byte(0);
  char32_t point = byte(0) & (0xffU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) point = point << 6U | (byte(i) & 0x3fU);
  return point;
}

std::size_t ascii_length(std::string_view text) {
  std::size_t length = 0;
  // Eight at a time: nearly all text is nothing else.
  for (; text.size() - length >= 8; length += 8) {
    if ((load_le<std::uint64_t>(bytes_of(text).data() + length) & 0x8080808080808080U) != 0) break;
  }
  while (length < text.size() && static_cast<unsigned char>(text[length]) < 0x80) ++length;
  return length;
}

bool is_utf8(std::string_view text) {
  while (true) {
    text.remove_prefix(ascii_length(text));
    if (text.empty()) return true;
    const std::size_t length = utf8_sequence(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
}

void append_utf8(std::string& out, char32_t point) {
  const auto put = [&](char32_t byte) { out += static_cast<char>(static_cast<std::uint8_t>(byte)); };
  if (point < 0x80) return put(point);
  if (point < 0x800) {
    put(0xc0 | point >> 6U);
  } else {
    if (point < 0x10000) {
      put(0xe0 | point >> 12U);
    } else {
      put(0xf0 | point >> 18U);
      put(0x80 | (point >> 12U & 0x3fU));
    }
    put(0x80 | (point >> 6U & 0x3fU));
  }
  put(0x80 | (point & 0x3fU));
}

}  // namespace cairn
