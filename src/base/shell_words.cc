// Splitting and quoting shell words; see the header.
#include "base/shell_words.h"

#include <utility>

namespace cairn {

Result<std::vector<std::string>> split_words(std::string_view line) {
  std::vector<std::string> words;
  std::string word;
  bool in_word = false;  // also true for an empty pair of quotes, which is a word
  char quote = '\0';     // the open quotation mark, if any
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote == '\'') {
      if (c == quote)
        quote = '\0';
      else
        word += c;
    } else if (c == '\\') {
      if (i + 1 == line.size()) return fail(Code::Error, "No escaped character");
      const char next = line[++i];
      if (quote == '"' && next != '"' && next != '\\') word += '\\';
      word += next;
      in_word = true;
    } else if (quote == '"') {
      if (c == quote)
        quote = '\0';
      else
        word += c;
    } else if (c == '\'' || c == '"') {
      quote = c;
      in_word = true;
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
      if (in_word) words.push_back(std::exchange(word, {}));
      in_word = false;
    } else {
      word += c;
      in_word = true;
    }
  }
  if (quote != '\0') return fail(Code::Error, "No closing quotation");
  if (in_word) words.push_back(std::move(word));
  return words;
}

std::string quote_word(std::string_view word) {
  constexpr std::string_view kPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_@%+=:,./-";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string_view::npos) return std::string(word);
  std::string quoted = "'";
  for (const char c : word) {
    if (c == '\'')
      quoted += "'\"'\"'";  // out of the quotes, a quoted mark, back in
    else
      quoted += c;
  }
  return quoted += '\'';
}

std::string join_words(std::span<const std::string> words) {
  std::string line;
  for (const std::string& word : words) {
    if (&word != words.data()) line += ' ';
    line += quote_word(word);
  }
  return line;
}

}  // namespace cairn
