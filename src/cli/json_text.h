// The text form of JSON, as Python writes it: ASCII only, ", " and ": ", floats always with a point or an exponent.
//
// Texts are bytes of the file system. A byte that is not UTF-8 becomes a lone surrogate, byte 0xff "\udcff"; where Borg
// wants '?' and a "_b64" key beside it, JsonLine::text() does that.
// Source: docs/format (cli, sections 5.1 and 9).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace cairn::cli {

void append_json_string(std::string& out, std::string_view text);  // with quotes
std::string json_number(double value);                             // "0.5", "3.0", "1e+16", never "3"
std::string base64(std::string_view bytes);

// One compact object on one line; keys stand in the order in which they are added. Callers of --json-lines add them
// sorted.
class JsonLine {
 public:
  JsonLine& text(std::string_view key, std::string_view value);      // '?' for bad bytes and "KEY_b64" if there are any
  JsonLine& raw_text(std::string_view key, std::string_view value);  // lone surrogates for bad bytes
  JsonLine& integer(std::string_view key, std::int64_t value);
  JsonLine& unsigned_integer(std::string_view key, std::uint64_t value);
  JsonLine& real(std::string_view key, double value);
  JsonLine& boolean(std::string_view key, bool value);
  JsonLine& null(std::string_view key);
  JsonLine& json(std::string_view key, std::string_view value);  // `value` is JSON already
  std::string str() const { return "{" + body_ + "}"; }

 private:
  void key(std::string_view name);
  std::string body_;
};

}  // namespace cairn::cli
