// One PCRE2 pattern, compiled and, where the machine can, turned into machine code.
//
// Pattern and subjects are valid UTF-8 (code_points.h). Matching never fails: when backtracking exceeds its limit, the
// breadth-first matcher decides, and what that cannot do either (back references) counts as no match.
// Threads   search() is const and safe from any thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/error.h"

namespace cairn::match {

class CompiledRegex {
 public:
  struct Options {
    bool anchored = false;     // must begin at the start
    bool dot_is_all = false;   // "." matches a newline too
    bool ends_at_end = false;  // must end at the end
    bool unicode_classes = true;
  };
  // An Error with PCRE2's words and the offset.
  static Result<CompiledRegex> compile(std::string_view utf8, const Options& options);
  CompiledRegex(CompiledRegex&&) noexcept;
  CompiledRegex& operator=(CompiledRegex&&) noexcept;
  ~CompiledRegex();

  bool search(std::string_view utf8) const;

 private:
  struct State;
  explicit CompiledRegex(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace cairn::match
