#include "cli/context.h"

namespace cairn::cli {

std::string joined_command_line(std::span<const std::string> words) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
  std::string line;
  for (const std::string& word : words) {
    if (!line.empty()) line += ' ';
    if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) {
      line += word;
      continue;
    }
    line += '\'';
    for (const char c : word) {
      if (c == '\'')
        line += "'\"'\"'";
      else
        line += c;
    }
    line += '\'';
  }
  return line;
}

}  // namespace cairn::cli
