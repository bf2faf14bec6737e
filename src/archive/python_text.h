// Text as Python's repr() shows it, because Borg's messages quote names in that way.
#pragma once

#include <compare>
#include <span>
#include <string>
#include <string_view>

namespace cairn::archive {

// 'text', or "it's"; control characters and bytes that are not UTF-8 are escaped ('\udcff').
std::string python_repr(std::string_view text);
// ['a', 'b']
std::string python_repr(std::span<const std::string> texts);
std::string python_bytes_repr(std::string_view bytes);  // b'a\xff'

// The code points of `text`; a byte that is not part of valid UTF-8 becomes U+DC00 + byte, as in Python.
std::u32string code_points(std::string_view text);
// As Python orders texts: by code points.
std::strong_ordering compare_code_points(std::string_view a, std::string_view b);
// The inverse of code_points().
std::string from_code_points(std::u32string_view points);

}  // namespace cairn::archive
