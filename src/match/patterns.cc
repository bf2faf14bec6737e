// The ordered list of patterns and the two single matchers of patterns.h.

#include "match/patterns.h"

#include <atomic>
#include <deque>
#include <optional>
#include <unordered_map>

#include <fmt/format.h>

#include "base/utf8.h"
#include "match/code_points.h"
#include "match/compiled_regex.h"
#include "match/pattern.h"
#include "match/pattern_lines.h"
#include "match/translate.h"

namespace cairn::match {

struct ShellGlob::State {
  CompiledRegex regex;
};
ShellGlob::ShellGlob(std::unique_ptr<State> state) : state_(std::move(state)) {}
ShellGlob::ShellGlob(ShellGlob&&) noexcept = default;
ShellGlob& ShellGlob::operator=(ShellGlob&&) noexcept = default;
ShellGlob::~ShellGlob() = default;

Result<ShellGlob> ShellGlob::compile(std::string_view glob) {
  const auto refused = [&](const Error& error) {
    return fail(Code::Usage, fmt::format("Invalid pattern '{}': {}", glob, error.message()));
  };
  std::string scratch;
  const Result<std::string> translated = regex_of_shell_glob(as_utf8(glob, scratch));
  if (!translated) return refused(translated.error());
  Result<CompiledRegex> regex = CompiledRegex::compile(
      *translated, {.anchored = true, .dot_is_all = true, .ends_at_end = false, .unicode_classes = false});
  if (!regex) return refused(regex.error());
  return ShellGlob(std::make_unique<State>(State{std::move(*regex)}));
}

bool ShellGlob::matches(std::string_view text) const {
  std::string scratch;
  return state_->regex.search(as_utf8(text, scratch));
}

struct Regex::State {
  CompiledRegex anywhere;
  CompiledRegex whole;
};
Regex::Regex(std::unique_ptr<State> state) : state_(std::move(state)) {}
Regex::Regex(Regex&&) noexcept = default;
Regex& Regex::operator=(Regex&&) noexcept = default;
Regex::~Regex() = default;

Result<Regex> Regex::compile(std::string_view expression) {
  std::string scratch;
  const std::string translated = regex_of_python(as_utf8(expression, scratch));
  Result<CompiledRegex> anywhere = CompiledRegex::compile(translated, {});
  if (!anywhere) {
    return fail(Code::Usage, fmt::format("Invalid pattern '{}': {}", expression, anywhere.error().message()));
  }
  CAIRN_TRY(CompiledRegex whole, CompiledRegex::compile(translated, {.anchored = true, .ends_at_end = true}));
  return Regex(std::make_unique<State>(State{std::move(*anywhere), std::move(whole)}));
}

bool Regex::search(std::string_view text) const {
  std::string scratch;
  return state_->anywhere.search(as_utf8(text, scratch));
}

bool Regex::full_match(std::string_view text) const {
  std::string scratch;
  return state_->whole.search(as_utf8(text, scratch));
}

namespace {

struct Item {
  Pattern pattern;
  bool include;
  bool recurse;
  bool is_path;  // of add_path()
  mutable std::atomic<bool> matched = false;

  Item(Pattern p, bool i, bool r, bool path) : pattern(std::move(p)), include(i), recurse(r), is_path(path) {}
};

struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};

}  // namespace

struct Matcher::State {
  std::deque<Item> items;  // in order, all but pf; a deque because atomics do not move
  std::unordered_map<std::string, Decision, TextHash, std::equal_to<>> full_paths;
  std::vector<std::string> roots;
  std::optional<bool> fallback;
  bool has_paths = false;
  bool needs_utf8 = false;

  void add(Pattern pattern, bool include, bool recurse, bool is_path) {
    has_paths = has_paths || is_path;
    if (pattern.style() == Style::PathFull) {
      full_paths.insert_or_assign(pattern.text(), Decision{include, recurse, true});
      return;
    }
    needs_utf8 = needs_utf8 || pattern.needs_utf8();
    items.emplace_back(std::move(pattern), include, recurse, is_path);
  }

  Status add_line(const PatternLine& line, Style default_style, Code code) {
    if (line.command == PatternLine::Command::Root) {
      roots.emplace_back(line.value);
      return {};
    }
    if (line.command == PatternLine::Command::Style) return {};
    Result<Pattern> pattern = Pattern::parse(line.value, default_style);
    if (!pattern) return fail(std::move(pattern).error().as(code));
    const bool include = line.command == PatternLine::Command::Include;
    add(std::move(*pattern), include, line.command != PatternLine::Command::ExcludeNoRecurse, false);
    return {};
  }
};

Matcher::Matcher() : state_(std::make_unique<State>()) {}
Matcher::Matcher(Matcher&&) noexcept = default;
Matcher& Matcher::operator=(Matcher&&) noexcept = default;
Matcher::~Matcher() = default;

Status Matcher::add_exclude(std::string_view pattern) {
  return state_->add_line({PatternLine::Command::ExcludeNoRecurse, std::string(pattern)}, Style::Fnmatch, Code::Usage);
}

Status Matcher::add_exclude_file(const std::string& path) {
  CAIRN_TRY(const std::vector<std::string> lines, read_lines(path));
  for (const std::string& line : lines) CAIRN_CHECKED(add_exclude(line));
  return {};
}

Status Matcher::add_pattern(std::string_view line) {
  CAIRN_TRY(const PatternLine parsed, PatternLine::parse(line));
  if (parsed.command == PatternLine::Command::Root) warn_about_root(parsed.value);
  return state_->add_line(parsed, Style::Shell, Code::Pattern);
}

Status Matcher::add_patterns_file(const std::string& path) {
  CAIRN_TRY(const std::vector<std::string> lines, read_lines(path));
  Style style = Style::Shell;
  for (const std::string& line : lines) {
    CAIRN_TRY(const PatternLine parsed, PatternLine::parse(line));
    if (parsed.command == PatternLine::Command::Root) warn_about_root(parsed.value);
    if (parsed.command == PatternLine::Command::Style) style = *style_of_prefix(parsed.value);
    CAIRN_CHECKED(state_->add_line(parsed, style, Code::Pattern));
  }
  return {};
}

Status Matcher::add_path(std::string_view pattern) {
  Result<Pattern> parsed = Pattern::parse(pattern, Style::PathPrefix);
  if (!parsed) return fail(std::move(parsed).error().as(Code::Usage));
  state_->add(std::move(*parsed), true, true, true);
  return {};
}

void Matcher::set_fallback(bool include) { state_->fallback = include; }

const std::vector<std::string>& Matcher::roots() const { return state_->roots; }

bool Matcher::empty() const { return state_->items.empty() && state_->full_paths.empty(); }

Decision Matcher::match(std::string_view path) const {
  const State& state = *state_;
  const bool fallback = state.fallback.value_or(!state.has_paths);
  if (empty()) return {fallback, true, false};
  path.remove_prefix(std::min(path.find_first_not_of('/'), path.size()));
  if (!state.full_paths.empty()) {
    if (const auto it = state.full_paths.find(path); it != state.full_paths.end()) return it->second;
  }
  Subject subject{path, {}, {}};
  std::string with_slash;
  if (state.needs_utf8) {
    if (is_utf8(path)) {
      with_slash.reserve(path.size() + 1);
      with_slash += path;
    } else {
      with_slash = stray_bytes_as_code_points(path);
    }
    with_slash += '/';
    subject.utf8_slash = with_slash;
    subject.utf8 = subject.utf8_slash.substr(0, with_slash.size() - 1);
  }
  for (const Item& item : state.items) {
    if (!item.pattern.matches(subject)) continue;
    // Written only once: a shared cache line that every match dirties would slow all threads down.
    if (item.is_path && !item.matched.load(std::memory_order_relaxed))
      item.matched.store(true, std::memory_order_relaxed);
    return {item.include, item.recurse, true};
  }
  return {fallback, true, false};
}

std::vector<std::string> Matcher::paths_never_matched() const {
  std::vector<std::string> out;
  for (const Item& item : state_->items) {
    if (item.is_path && !item.matched.load(std::memory_order_relaxed)) out.push_back(item.pattern.original());
  }
  return out;
}

}  // namespace cairn::match
