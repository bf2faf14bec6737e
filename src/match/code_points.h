// Paths as Python sees them: code points, where a byte that is no part of valid UTF-8 counts as one of its own.
//
// Borg matches patterns on text decoded with "surrogateescape". PCRE2 wants valid UTF-8, so a stray byte b is written
// as the private code point U+10DC00 + b, in patterns and paths alike. (A path that contains these very code points is
// matched as if it had the stray bytes.)
#pragma once

#include <string>
#include <string_view>

namespace cairn::match {

std::string stray_bytes_as_code_points(std::string_view text);
// `text` itself if it is valid UTF-8, else its translation, kept in `scratch`.
std::string_view as_utf8(std::string_view text, std::string& scratch);

// Decodes the code point at `at` of valid UTF-8 and moves past it.
char32_t next_code_point(std::string_view text, std::size_t& at);

}  // namespace cairn::match
