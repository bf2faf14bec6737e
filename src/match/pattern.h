// One pattern of one style.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "match/compiled_regex.h"
#include "match/patterns.h"

namespace cairn::match {

// The path in the forms that patterns look at; built once per path, whatever the number of patterns.
struct Subject {
  std::string_view path;        // the system's bytes, no leading slash
  std::string_view utf8;        // code_points.h
  std::string_view utf8_slash;  // the same with a slash appended
};

class Pattern {
 public:
  // A two-character prefix chooses the style; without one it is `default_style`. Errors have code Error; the caller
  // knows which one it has to be.
  static Result<Pattern> parse(std::string_view text, Style default_style);

  Style style() const { return style_; }
  const std::string& text() const { return text_; }          // normalised: the key of a pf pattern
  const std::string& original() const { return original_; }  // as given, without the prefix
  bool needs_utf8() const { return regex_.has_value(); }
  bool matches(const Subject& subject) const;

 private:
  Pattern(Style style, std::string original) : style_(style), original_(std::move(original)) {}
  Style style_;
  std::string original_;
  std::string text_;
  std::optional<CompiledRegex> regex_;
};

std::optional<Style> style_of_prefix(std::string_view prefix);

}  // namespace cairn::match
