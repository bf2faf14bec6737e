// Lines of --pattern and of pattern files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace cairn::match {

struct PatternLine {
  enum class Command { Exclude, ExcludeNoRecurse, Include, Root, Style };
  Command command;
  std::string value;  // a pattern, a path, or the two letters of a known style

  // Pattern errors in Borg's words.
  static Result<PatternLine> parse(std::string_view line);
};

// The lines of a file, without blanks at both ends; empty ones and those that begin with "#" are left out.
Result<std::vector<std::string>> read_lines(const std::string& path);

// Says so if a recursion root is relative or not there.
void warn_about_root(const std::string& path);

}  // namespace cairn::match
