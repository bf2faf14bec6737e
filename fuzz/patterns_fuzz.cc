// Pattern lines and paths: the first line of the input is the path, the others are pattern lines.
//
// Besides not crashing: a decision does not depend on being asked twice, and a pf: pattern of the path decides.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/log.h"
#include "base/normalized_path.h"
#include "match/patterns.h"

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 2000) return 0;
  static const bool quiet = [] {
    cairn::set_log_sink([](const cairn::LogRecord&) {});
    return true;
  }();
  require(quiet);
  std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t end = text.find('\n');
  const std::string_view path = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);

  cairn::match::Matcher matcher;
  while (!text.empty()) {
    const std::size_t length = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, length);
    text.remove_prefix(std::min(length + 1, text.size()));
    (void)matcher.add_pattern(line);
    (void)matcher.add_path(line);
    if (const auto glob = cairn::match::ShellGlob::compile(line)) (void)glob->matches(path);
    if (const auto regex = cairn::match::Regex::compile(line)) (void)(regex->search(path) || regex->full_match(path));
  }
  const cairn::match::Decision first = matcher.match(path);
  const cairn::match::Decision second = matcher.match(path);
  require(first.include == second.include && first.recurse == second.recurse && first.matched == second.matched);
  (void)matcher.paths_never_matched();

  const std::string normalized = cairn::normalized_path(path);
  require(cairn::normalized_path(normalized) == normalized);
  require(matcher.add_pattern("! pf:" + normalized).has_value());
  require(!matcher.match(normalized).include);
  return 0;
}
