#include "match/pattern_lines.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>

#include <fmt/format.h>

#include "base/fd.h"
#include "base/log.h"
#include "match/pattern.h"

namespace cairn::match {
namespace {

constexpr std::string_view kBlanks = " \t\n\v\f\r\x1c\x1d\x1e\x1f";

std::string_view without_blanks(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) + 1 - first);
}

}  // namespace

Result<PatternLine> PatternLine::parse(std::string_view line) {
  if (line.empty()) return fail(Code::Pattern, "A pattern/command must not be empty.");
  PatternLine out{};
  switch (line[0]) {
    case '-':
      out.command = Command::Exclude;
      break;
    case '!':
      out.command = Command::ExcludeNoRecurse;
      break;
    case '+':
      out.command = Command::Include;
      break;
    case 'R':
    case 'r':
      out.command = Command::Root;
      break;
    case 'P':
    case 'p':
      out.command = Command::Style;
      break;
    default:
      return fail(Code::Pattern, "A pattern/command must start with any of: -, !, +, R, r, P, p");
  }
  const std::string_view rest = line.substr(1);
  out.value = rest.substr(std::min(rest.find_first_not_of(kBlanks), rest.size()));
  if (out.value.empty()) return fail(Code::Pattern, "A pattern/command must have a value part.");
  if (out.command == Command::Style && !style_of_prefix(out.value)) {
    return fail(Code::Pattern, fmt::format("Invalid pattern style: {}", out.value));
  }
  return out;
}

Result<std::vector<std::string>> read_lines(const std::string& path) {
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return fail(os_error(errno, path));
  std::string text;
  char piece[65536];
  while (true) {
    const ssize_t n = ::read(fd.get(), piece, sizeof piece);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fail(os_error(errno, path));
    if (n == 0) break;
    text.append(piece, static_cast<std::size_t>(n));
  }
  std::vector<std::string> lines;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t end = std::min(rest.find_first_of("\n\r"), rest.size());
    const std::string_view line = without_blanks(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (!line.empty() && line[0] != '#') lines.emplace_back(line);
  }
  return lines;
}

void warn_about_root(const std::string& path) {
  struct stat facts{};
  if (!path.starts_with('/')) {
    log(Level::Warning, "borg.patterns",
        fmt::format("Root path '{}' is not absolute, it is recommended to use an absolute path", path));
  }
  if (::stat(path.c_str(), &facts) != 0) {
    log(Level::Warning, "borg.patterns", fmt::format("Root path '{}' does not exist", path));
  }
}

}  // namespace cairn::match
