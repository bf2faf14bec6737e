#include "cli/json_text.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/utf8.h"
#include "cli/display_text.h"

namespace cairn::cli {
namespace {

void append_escape(std::string& out, unsigned unit) { out += fmt::format("\\u{:04x}", unit); }

void append_code_point(std::string& out, std::string_view sequence) {
  constexpr unsigned kFirstBits[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
  unsigned code = static_cast<unsigned char>(sequence[0]) & kFirstBits[sequence.size()];
  for (const char c : sequence.substr(1)) code = code << 6 | (static_cast<unsigned char>(c) & 0x3fU);
  if (code < 0x10000) return append_escape(out, code);
  code -= 0x10000;
  append_escape(out, 0xd800 + (code >> 10));
  append_escape(out, 0xdc00 + (code & 0x3ff));
}

// Of what stands for itself.
std::size_t plain_length(std::string_view text) {
  const auto end = std::ranges::find_if(
      text, [](char c) { return static_cast<unsigned char>(c) - 0x20U >= 0x5fU || c == '"' || c == '\\'; });
  return static_cast<std::size_t>(end - text.begin());
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    if (const std::size_t plain = plain_length(text); plain > 0) {
      out += text.substr(0, plain);
      text.remove_prefix(plain);
      continue;
    }
    const std::size_t length = utf8_sequence(text);
    const auto c = static_cast<unsigned char>(text[0]);
    if (length == 0) {
      append_escape(out, 0xdc00U + c);
    } else if (length > 1) {
      append_code_point(out, text.substr(0, length));
    } else if (c == '"' || c == '\\') {
      out += '\\';
      out += text[0];
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\r') {
      out += "\\r";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c == '\b') {
      out += "\\b";
    } else if (c == '\f') {
      out += "\\f";
    } else if (c < 0x20 || c == 0x7f) {
      append_escape(out, c);
    } else {
      out += text[0];
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  out += '"';
}

std::string json_number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    unsigned bits = 0;
    for (std::size_t k = 0; k < 3; ++k) bits = bits << 8 | (k < count ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    for (std::size_t k = 0; k < 4; ++k) out += k <= count ? kDigits[bits >> (18 - 6 * k) & 63] : '=';
  }
  return out;
}

void JsonLine::key(std::string_view name) {
  if (!body_.empty()) body_ += ", ";
  append_json_string(body_, name);
  body_ += ": ";
}

JsonLine& JsonLine::text(std::string_view name, std::string_view value) {
  if (is_utf8(value)) return raw_text(name, value);
  raw_text(name, replaced(value));
  return raw_text(std::string(name) + "_b64", base64(value));
}
JsonLine& JsonLine::raw_text(std::string_view name, std::string_view value) {
  key(name);
  append_json_string(body_, value);
  return *this;
}
JsonLine& JsonLine::integer(std::string_view name, std::int64_t value) { return json(name, fmt::format("{}", value)); }
JsonLine& JsonLine::unsigned_integer(std::string_view name, std::uint64_t value) {
  return json(name, fmt::format("{}", value));
}
JsonLine& JsonLine::real(std::string_view name, double value) { return json(name, json_number(value)); }
JsonLine& JsonLine::boolean(std::string_view name, bool value) { return json(name, value ? "true" : "false"); }
JsonLine& JsonLine::null(std::string_view name) { return json(name, "null"); }
JsonLine& JsonLine::json(std::string_view name, std::string_view value) {
  key(name);
  body_ += value;
  return *this;
}

}  // namespace cairn::cli
