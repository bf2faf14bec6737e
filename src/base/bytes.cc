#include "base/bytes.h"

namespace cairn {

std::string to_hex(Bytes bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text(bytes.size() * 2, '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const auto value = std::to_integer<unsigned>(bytes[i]);
    text[2 * i] = kDigits[value >> 4U];
    text[2 * i + 1] = kDigits[value & 15U];
  }
  return text;
}

namespace {
int digit_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}
}  // namespace

bool from_hex(std::string_view hex, MutableBytes to) {
  if (hex.size() != to.size() * 2) return false;
  for (std::size_t i = 0; i < to.size(); ++i) {
    const int high = digit_value(hex[2 * i]);
    const int low = digit_value(hex[2 * i + 1]);
    if (high < 0 || low < 0) return false;
    to[i] = static_cast<std::byte>(high * 16 + low);
  }
  return true;
}

}  // namespace cairn
