#include "ops/input_map.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "archive/python_text.h"
#include "base/fd.h"

namespace cairn::ops {
namespace {

constexpr std::string_view kBlanks = " \t\v\f\x1c\x1d\x1e\x1f";
// Some ten million ranges. A device given by mistake must not fill the memory.
constexpr std::size_t kLargestMap = std::size_t{1} << 30U;

// Takes the first line off `text`, with the line feeds of any system.
std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find_first_of("\n\r"), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end);
  if (text.starts_with("\r\n")) text.remove_prefix(1);
  if (!text.empty()) text.remove_prefix(1);
  return line;
}

std::string_view without_blanks(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

// Takes the first word off `line`, which does not begin with a blank.
std::string_view take_word(std::string_view& line) {
  const std::string_view word = line.substr(0, line.find_first_of(kBlanks));
  line = without_blanks(line.substr(word.size()));
  return word;
}

int digit_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 16;
}

// A whole number as Python's sources have it: 10, 1_000, +5, 0xff, 0o17, 0b11, but not 010.
std::optional<std::int64_t> python_integer(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  int base = 10;
  if (text.size() > 1 && text[0] == '0') {
    const char kind = static_cast<char>(text[1] | 0x20);
    base = kind == 'x' ? 16 : kind == 'o' ? 8 : kind == 'b' ? 2 : 10;
    if (base != 10) {
      text.remove_prefix(2);
      if (text.starts_with('_')) text.remove_prefix(1);
    } else if (text.find_first_not_of("0_") != std::string_view::npos) {
      return std::nullopt;
    }
  }
  if (text.empty() || text.back() == '_') return std::nullopt;
  std::int64_t value = 0;
  bool after_digit = false;  // so that a "_" may come
  for (const char c : text) {
    if (c == '_') {
      if (!after_digit) return std::nullopt;
      after_digit = false;
      continue;
    }
    const int digit = digit_value(c);
    if (digit >= base || value > (std::numeric_limits<std::int64_t>::max() - digit) / base) return std::nullopt;
    value = value * base + digit;
    after_digit = true;
  }
  return negative ? -value : value;
}

std::optional<RangeState> state_of(std::string_view word, bool allow_same) {
  if (word == "data") return RangeState::Data;
  if (word == "zero") return RangeState::Zero;
  if (word == "same" && allow_same) return RangeState::Same;
  return std::nullopt;
}

// The map from `begin` to `end`.
InputMap section(const InputMap& map, std::uint64_t begin, std::uint64_t end) {
  auto range = std::ranges::upper_bound(map, begin, {}, &InputRange::start) - 1;  // the first range starts at 0
  InputMap out;
  for (; range != map.end() && range->start < end; ++range) {
    const std::uint64_t start = std::max(range->start, begin);
    out.push_back(
        {.start = start, .length = std::min(range->start + range->length, end) - start, .state = range->state});
  }
  return out;
}

}  // namespace

Result<InputMap> parse_input_map(std::string_view text, const std::string& name, bool allow_same) {
  InputMap map;
  std::int64_t next_start = 0;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::string_view whole = take_line(text);
    const std::string_view line = without_blanks(whole.substr(0, whole.find('#')));
    if (line.empty()) continue;
    auto bad = [&](const std::string& why) {
      return fail(Code::Error, fmt::format("{}:{}: invalid input map line: {}", name, number, why));
    };
    std::string_view rest = line;
    const auto start = python_integer(take_word(rest));
    const auto length = python_integer(take_word(rest));
    const std::string_view state_word = take_word(rest);
    // No input is longer than 2^63 bytes.
    const bool too_long = start && length && *length > std::numeric_limits<std::int64_t>::max() - next_start;
    if (!start || !length || state_word.empty() || !rest.empty() || too_long) {
      return bad(fmt::format("expected 'START LENGTH STATE', got: {}", archive::python_repr(line)));
    }
    const auto state = state_of(state_word, allow_same);
    if (!state) {
      return bad(fmt::format("invalid state {} (expected: {})", archive::python_repr(state_word),
                             allow_same ? "data, same, zero" : "data, zero"));
    }
    if (*length <= 0) return bad("LENGTH must be positive");
    if (*start != next_start) {
      return bad(fmt::format("ranges must be sorted, contiguous and start at offset 0 (expected START {}, got {})",
                             next_start, *start));
    }
    map.push_back(
        {.start = static_cast<std::uint64_t>(*start), .length = static_cast<std::uint64_t>(*length), .state = *state});
    next_start += *length;
  }
  if (map.empty()) return fail(Code::Error, fmt::format("{}: empty input map", name));
  return map;
}

Result<InputMap> load_input_map(const std::string& path, bool allow_same) {
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return fail(os_error(errno, path));
  std::string text;
  std::string piece(std::size_t{64} << 10U, '\0');
  while (true) {
    const ssize_t count = ::read(fd.get(), piece.data(), piece.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return fail(os_error(errno, path));
    if (count == 0) break;
    text.append(piece, 0, static_cast<std::size_t>(count));
    if (text.size() > kLargestMap) {
      return fail(Code::Error, fmt::format("{}: the input map is longer than {} bytes", path, kLargestMap));
    }
  }
  return parse_input_map(text, path, allow_same);
}

std::uint64_t covered_bytes(const InputMap& map) { return map.back().start + map.back().length; }

Error not_covered(const InputMap& map, std::uint64_t size) {
  return {Code::Error, fmt::format("input map covers {} bytes, but the input has {} bytes", covered_bytes(map), size)};
}

std::vector<InputPart> plan_input(const InputMap& map, const std::vector<archive::ChunkRef>& reference,
                                  const std::function<bool(const archive::ChunkRef&)>& usable) {
  // Neighbours that are both the same are one, as a chunk may lie across their border.
  struct Extent {
    std::uint64_t begin, end;
  };
  std::vector<Extent> same;
  for (const InputRange& range : map) {
    if (range.state != RangeState::Same) continue;
    if (!same.empty() && same.back().end == range.start) {
      same.back().end += range.length;
    } else {
      same.push_back({range.start, range.start + range.length});
    }
  }
  const std::uint64_t size = covered_bytes(map);
  std::vector<InputPart> parts;
  std::uint64_t planned = 0;  // bytes that the parts so far stand for
  auto read_until = [&](std::uint64_t end) {
    if (planned < end) parts.push_back({.reused = {}, .ranges = section(map, planned, end)});
    planned = end;
  };
  std::uint64_t begin = 0;
  auto extent = same.begin();
  for (const archive::ChunkRef& chunk : reference) {
    if (begin >= size) break;
    const std::uint64_t end = begin + chunk.size;
    while (extent != same.end() && extent->end <= begin) ++extent;
    if (chunk.size > 0 && extent != same.end() && extent->begin <= begin && end <= extent->end && usable(chunk)) {
      read_until(begin);
      if (parts.empty() || parts.back().reused.empty()) parts.emplace_back();
      parts.back().reused.push_back(chunk);
      planned = end;
    }
    begin = end;
  }
  read_until(size);
  return parts;
}

}  // namespace cairn::ops
