// Command lines as text: splitting into words and quoting words, by the rules of Python's shlex (POSIX mode).
// Source: docs/format (archive, section 2.2; crypto, section 3.6).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace cairn {

// Nothing is expanded and # starts no comment. Inside double quotes a backslash is special only before " and \.
// Errors    Error: "No closing quotation", "No escaped character".
Result<std::vector<std::string>> split_words(std::string_view line);

// One word that split_words and a shell read back as it is: unchanged if it needs no quotes, else in single quotes.
std::string quote_word(std::string_view word);
// Quoted words with blanks between them.
std::string join_words(std::span<const std::string> words);

}  // namespace cairn
