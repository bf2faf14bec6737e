// Globs and Python's regular expressions in PCRE2's language. Input and output are valid UTF-8.
//
// Source    docs/format (archive, sections 6.1 and 6.2), checked against Borg with random patterns.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"

namespace cairn::match {

// For a match anchored at the start, with "." for any character; the end is part of the expression. Python's fnmatch:
// an empty range in a set is left out.
std::string regex_of_fnmatch(std::string_view glob);
// Shell style: "*" and "?" stop at slashes, "**/" is any number of directories, braces are alternatives. The characters
// "(", "|" and ")" are operators; with a "|" outside of all groups only the last alternative has to reach the end. An
// empty range in a set is an Error.
Result<std::string> regex_of_shell_glob(std::string_view glob);
// Rewrites what means something else to PCRE2: \Z, \uXXXX, {,n} and "[" inside of sets.
std::string regex_of_python(std::string_view expression);

}  // namespace cairn::match
