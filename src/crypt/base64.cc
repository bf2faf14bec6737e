// Base64; see the header.
#include "crypt/base64.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace cairn::crypt {

namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr auto kValues = [] {
  std::array<std::int8_t, 256> values{};
  values.fill(-1);
  for (std::size_t i = 0; i < kAlphabet.size(); ++i)
    values[static_cast<unsigned char>(kAlphabet[i])] = static_cast<std::int8_t>(i);
  return values;
}();

}  // namespace

std::string encode_base64(Bytes bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - at);
    std::uint32_t group = 0;
    for (std::size_t i = 0; i < 3; ++i)
      group = group << 8U | (i < count ? std::to_integer<std::uint32_t>(bytes[at + i]) : 0U);
    for (std::size_t i = 0; i < 4; ++i)
      text += i <= count ? kAlphabet[group >> (18U - 6U * static_cast<unsigned>(i)) & 63U] : '=';
  }
  return text;
}

bool decode_base64(std::string_view text, Buffer& out) {
  out.clear();
  out.reserve(text.size() / 4 * 3 + 3);
  std::uint32_t group = 0;
  unsigned digits = 0;  // in the group under way
  unsigned pads = 0;    // in a row
  for (const char c : text) {
    if (c == '=') {
      if (digits >= 2 && digits + ++pads >= 4) {
        const unsigned count = digits - 1;
        group <<= 6U * (4 - digits);
        for (unsigned i = 0; i < count; ++i) out.push_back(static_cast<std::byte>(group >> (16U - 8U * i) & 0xffU));
        return true;
      }
      continue;
    }
    const std::int8_t value = kValues[static_cast<unsigned char>(c)];
    if (value < 0) continue;
    pads = 0;
    group = group << 6U | static_cast<std::uint32_t>(value);
    if (++digits == 4) {
      for (unsigned i = 0; i < 3; ++i) out.push_back(static_cast<std::byte>(group >> (16U - 8U * i) & 0xffU));
      group = 0;
      digits = 0;
    }
  }
  return digits == 0;
}

}  // namespace cairn::crypt
