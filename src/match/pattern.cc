#include "match/pattern.h"

#include <fmt/format.h>

#include "base/normalized_path.h"
#include "match/code_points.h"
#include "match/translate.h"

namespace cairn::match {
namespace {

bool is_alphanumeric(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

std::string without_leading_slashes(std::string text) {
  text.erase(0, std::min(text.find_first_not_of('/'), text.size()));
  return text;
}

std::string without_trailing_slashes(std::string text) {
  text.erase(text.find_last_not_of('/') + 1);
  return text;
}

// A pattern with a trailing slash is for what is below a directory, else for the object and what is below.
std::string with_suffix(std::string_view text, std::string_view below, std::string_view here) {
  return without_leading_slashes(without_trailing_slashes(normalized_path(text)) +
                                 std::string(text.ends_with('/') ? below : here));
}

Result<CompiledRegex> compile(const std::string& regex, bool glob) {
  return CompiledRegex::compile(regex,
                                {.anchored = glob, .dot_is_all = glob, .ends_at_end = false, .unicode_classes = !glob});
}

}  // namespace

std::optional<Style> style_of_prefix(std::string_view prefix) {
  if (prefix == "fm") return Style::Fnmatch;
  if (prefix == "sh") return Style::Shell;
  if (prefix == "re") return Style::Regex;
  if (prefix == "pp") return Style::PathPrefix;
  if (prefix == "pf") return Style::PathFull;
  return std::nullopt;
}

Result<Pattern> Pattern::parse(std::string_view text, Style default_style) {
  Style style = default_style;
  std::string_view body = text;
  if (text.size() > 2 && text[2] == ':' && is_alphanumeric(text[0]) && is_alphanumeric(text[1])) {
    const std::optional<Style> named = style_of_prefix(text.substr(0, 2));
    if (!named) return fail(Code::Error, fmt::format("Unknown pattern style: {}", text.substr(0, 2)));
    style = *named;
    body.remove_prefix(3);
  }
  Pattern pattern(style, std::string(body));
  std::string scratch;
  Result<CompiledRegex> regex = fail(Code::Error, "");
  switch (style) {
    case Style::PathPrefix:
      pattern.text_ = without_leading_slashes(without_trailing_slashes(normalized_path(body)) + '/');
      return pattern;
    case Style::PathFull:
      pattern.text_ = without_leading_slashes(normalized_path(body));
      return pattern;
    case Style::Fnmatch:
      pattern.text_ = with_suffix(body, "/*/", "/*");
      regex = compile(regex_of_fnmatch(as_utf8(pattern.text_, scratch)), true);
      break;
    case Style::Shell: {
      pattern.text_ = with_suffix(body, "/**/*/", "/**/*");
      Result<std::string> translated = regex_of_shell_glob(as_utf8(pattern.text_, scratch));
      regex = translated ? compile(*translated, true) : fail(std::move(translated).error());
      break;
    }
    case Style::Regex:
      pattern.text_ = body;
      regex = compile(regex_of_python(as_utf8(body, scratch)), false);
      break;
  }
  if (!regex) return fail(Code::Error, fmt::format("Invalid pattern '{}': {}", text, regex.error().message()));
  pattern.regex_ = std::move(*regex);
  return pattern;
}

bool Pattern::matches(const Subject& subject) const {
  switch (style_) {
    case Style::PathFull:
      return subject.path == text_;
    case Style::PathPrefix:
      // The path with a slash appended begins with the text, which ends with a slash.
      return subject.path.starts_with(text_) ||
             (subject.path.size() + 1 == text_.size() && std::string_view(text_).starts_with(subject.path));
    case Style::Regex:
      return regex_->search(subject.utf8);
    case Style::Fnmatch:
    case Style::Shell:
      return regex_->search(subject.utf8_slash);
  }
  return false;
}

}  // namespace cairn::match
