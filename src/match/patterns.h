// Path patterns and their lists: the styles fm, sh, re, pp, pf and the include and exclude commands.
//
// Threads   a Matcher is built once; match() is const and safe from any thread, apart from the "has matched" marks,
// which
//           are atomic.
// Errors    Pattern (bad pattern line, exit code 4), Usage (bad --exclude value, exit code 2), NotFound (pattern file).
// Source    docs/format (archive, section 6).
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace cairn::match {

enum class Style { Fnmatch, Shell, Regex, PathPrefix, PathFull };

// A glob in the shell style (section 6.2), for archive names and paths.
class ShellGlob {
 public:
  static Result<ShellGlob> compile(std::string_view glob);
  ShellGlob(ShellGlob&&) noexcept;
  ShellGlob& operator=(ShellGlob&&) noexcept;
  ~ShellGlob();
  bool matches(std::string_view text) const;  // the whole text

 private:
  struct State;
  explicit ShellGlob(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// A regular expression. Python's syntax as far as PCRE2 shares it.
class Regex {
 public:
  static Result<Regex> compile(std::string_view expression);
  Regex(Regex&&) noexcept;
  Regex& operator=(Regex&&) noexcept;
  ~Regex();
  bool search(std::string_view text) const;      // anywhere
  bool full_match(std::string_view text) const;  // from start to end

 private:
  struct State;
  explicit Regex(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

struct Decision {
  bool include = true;
  bool recurse = true;   // an excluded directory may still be entered
  bool matched = false;  // some pattern decided
};

class Matcher {
 public:
  Matcher();
  Matcher(Matcher&&) noexcept;
  Matcher& operator=(Matcher&&) noexcept;
  ~Matcher();

  // In command line order.
  Status add_exclude(std::string_view pattern);       // -e
  Status add_exclude_file(const std::string& path);   // --exclude-from
  Status add_pattern(std::string_view line);          // --pattern
  Status add_patterns_file(const std::string& path);  // --patterns-from
  Status add_path(std::string_view pattern);          // PATH arguments of extract, list ...: default style pp
  void set_fallback(bool include);                    // when nothing matches

  const std::vector<std::string>& roots() const;  // R lines, in order
  Decision match(std::string_view path) const;
  std::vector<std::string> paths_never_matched() const;  // of add_path(), except pf: ones
  bool empty() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace cairn::match
