// UTF-8 as Python takes it: no overlong forms, no surrogates, nothing above U+10FFFF.
#pragma once

#include <string>
#include <string_view>

namespace cairn {

// The length of the valid sequence at the start of `text`, 0 if there is none.
std::size_t utf8_sequence(std::string_view text);
// The code point of a valid sequence; what follows it does not matter.
char32_t utf8_code_point(std::string_view text);
// How many bytes at the front are ASCII.
std::size_t ascii_length(std::string_view text);
bool is_utf8(std::string_view text);

// At most U+10FFFF. A surrogate gets the three bytes that its number asks for, though no text may have them.
void append_utf8(std::string& out, char32_t point);

}  // namespace cairn
