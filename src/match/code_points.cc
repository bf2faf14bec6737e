#include "match/code_points.h"

#include "base/utf8.h"

namespace cairn::match {
namespace {

constexpr char32_t kStrayBytes = 0x10DC00;

}  // namespace

std::string stray_bytes_as_code_points(std::string_view text) {
  std::string out;
  out.reserve(text.size() + 16);
  while (!text.empty()) {
    std::size_t length = utf8_sequence(text);
    if (length > 0) {
      out += text.substr(0, length);
    } else {
      length = 1;
      append_utf8(out, kStrayBytes + static_cast<unsigned char>(text[0]));
    }
    text.remove_prefix(length);
  }
  return out;
}

std::string_view as_utf8(std::string_view text, std::string& scratch) {
  if (is_utf8(text)) return text;
  scratch = stray_bytes_as_code_points(text);
  return scratch;
}

char32_t next_code_point(std::string_view text, std::size_t& at) {
  text.remove_prefix(at);
  at += utf8_sequence(text);
  return utf8_code_point(text);
}

}  // namespace cairn::match
