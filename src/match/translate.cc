#include "match/translate.h"

#include <vector>

#include <fmt/format.h>

#include "match/code_points.h"

namespace cairn::match {
namespace {

void append_literal(std::string& out, std::string_view characters) {
  for (const char c : characters) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
                       static_cast<unsigned char>(c) >= 0x80;
    if (c == '\0') {
      out += "\\x00";
    } else {
      if (!plain) out += '\\';
      out += c;
    }
  }
}

// Index of the "]" that ends the set whose first character is at `start`, or npos.
std::size_t end_of_set(std::string_view glob, std::size_t start) {
  std::size_t at = start;
  if (at < glob.size() && glob[at] == '!') ++at;
  if (at < glob.size() && glob[at] == ']') ++at;
  return glob.find(']', at);
}

struct SetText {
  std::string regex;
  bool empty_range = false;
};

// `set` is what stands between the brackets. A range that is the wrong way round is left out and reported.
SetText regex_of_set(std::string_view set) {
  SetText out;
  bool negated = set.starts_with('!');
  std::size_t at = negated ? 1 : 0;
  std::string members;
  while (at < set.size()) {
    if (out.empty_range && members.empty() && !negated && set[at] == '!') {
      negated = true;  // Python takes the ranges out first and looks for the "!" then
      ++at;
      continue;
    }
    const char32_t low = next_code_point(set, at);
    if (at + 1 < set.size() && set[at] == '-') {
      ++at;
      const char32_t high = next_code_point(set, at);
      if (low > high) {
        out.empty_range = true;
      } else {
        members += fmt::format("\\x{{{:x}}}-\\x{{{:x}}}", std::uint32_t{low}, std::uint32_t{high});
      }
    } else {
      members += fmt::format("\\x{{{:x}}}", std::uint32_t{low});
    }
  }
  if (members.empty()) {
    out.regex = negated ? "." : "(?!)";
  } else {
    out.regex = fmt::format("[{}{}]", negated ? "^" : "", members);
  }
  return out;
}

// Braces with an unescaped comma, be it in an inner pair, become groups: "{a,b}" is "(a|b)". Others stay.
std::string braces_as_groups(std::string_view glob) {
  struct Open {
    std::size_t at;
    std::vector<std::size_t> commas;
    bool holds_group = false;
  };
  std::string out(glob);
  std::vector<Open> open;
  for (std::size_t at = 0; at < glob.size(); ++at) {
    if (at > 0 && glob[at - 1] == '\\') continue;
    if (glob[at] == '{') {
      open.push_back({at, {}, false});
    } else if (glob[at] == ',' && !open.empty()) {
      open.back().commas.push_back(at);
    } else if (glob[at] == '}' && !open.empty()) {
      const Open pair = std::move(open.back());
      open.pop_back();
      if (pair.commas.empty() && !pair.holds_group) continue;
      out[pair.at] = '(';
      out[at] = ')';
      for (const std::size_t comma : pair.commas) out[comma] = '|';
      if (!open.empty()) open.back().holds_group = true;
    }
  }
  return out;
}

bool is_hex(std::string_view text) {
  return text.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
}

}  // namespace

std::string regex_of_fnmatch(std::string_view glob) {
  // Each stretch between two stars is found at its first place and not tried again: (?>.*?stretch). That is enough, as
  // a later place could only leave less for the rest, and it keeps many stars from backtracking into each other.
  std::string out;
  std::string stretch;
  bool after_star = false;
  for (std::size_t at = 0; at < glob.size();) {
    const std::size_t start = at;
    const char32_t c = next_code_point(glob, at);
    if (c == '*') {
      while (at < glob.size() && glob[at] == '*') ++at;
      out += after_star ? fmt::format("(?>.*?{})", stretch) : stretch;
      stretch.clear();
      after_star = true;
    } else if (c == '?') {
      stretch += '.';
    } else if (const std::size_t end = c == '[' ? end_of_set(glob, at) : std::string_view::npos;
               end != std::string_view::npos) {
      stretch += regex_of_set(glob.substr(at, end - at)).regex;
      at = end + 1;
    } else {
      append_literal(stretch, glob.substr(start, at - start));
    }
  }
  if (after_star) out += ".*";
  return out + stretch + "\\z";
}

Result<std::string> regex_of_shell_glob(std::string_view glob) {
  const std::string grouped = braces_as_groups(glob);
  const std::string_view text = grouped;
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t start = at;
    const char32_t c = next_code_point(text, at);
    if (c == '*' && text.substr(at).starts_with("*/")) {
      out += "(?:[^/]*/)*";
      at += 2;
    } else if (c == '*') {
      out += "[^/]*";
    } else if (c == '?') {
      out += "[^/]";
    } else if (c == '(' || c == '|' || c == ')') {
      out += static_cast<char>(c);
    } else if (const std::size_t end = c == '[' ? end_of_set(text, at) : std::string_view::npos;
               end != std::string_view::npos) {
      const SetText set = regex_of_set(text.substr(at, end - at));
      if (set.empty_range)
        return fail(Code::Error, fmt::format("bad character range in {}", text.substr(start, end + 1 - start)));
      out += set.regex;
      at = end + 1;
    } else {
      append_literal(out, text.substr(start, at - start));
    }
  }
  return out + "\\z";
}

std::string regex_of_python(std::string_view expression) {
  std::string out;
  bool in_set = false;
  std::size_t set_start = 0;  // where a "]" is still a member
  for (std::size_t at = 0; at < expression.size(); ++at) {
    const char c = expression[at];
    if (c == '\\' && at + 1 < expression.size()) {
      const char escaped = expression[++at];
      const std::size_t digits = escaped == 'u' ? 4 : escaped == 'U' ? 8 : 0;
      const std::string_view number = expression.substr(at + 1, digits);
      if (escaped == 'Z' && !in_set) {
        out += "\\z";
      } else if (digits > 0 && number.size() == digits && is_hex(number)) {
        out += fmt::format("\\x{{{}}}", number);
        at += digits;
      } else {
        out += c;
        out += escaped;
      }
    } else if (in_set) {
      if (c == '[') out += '\\';  // no [:class:] in Python
      out += c;
      if (c == ']' && at > set_start) in_set = false;
    } else if (c == '[') {
      in_set = true;
      out += c;
      set_start = at + 1;
      if (set_start < expression.size() && expression[set_start] == '^') {
        out += '^';
        ++at;
        ++set_start;
      }
    } else if (c == '{' && expression.substr(at).starts_with("{,") && at > 0) {
      // "{,n}" is "{0,n}", "{,}" is "*"; PCRE2 before 10.43 takes both literally.
      const std::size_t close = expression.find('}', at);
      const std::string_view number = close == std::string_view::npos ? "x" : expression.substr(at + 2, close - at - 2);
      out += number.find_first_not_of("0123456789") == std::string_view::npos ? "{0," : "{,";
      ++at;
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace cairn::match
