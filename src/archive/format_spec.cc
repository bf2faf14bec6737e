#include "archive/format_spec.h"

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>

#include "archive/python_text.h"

namespace cairn::archive {
namespace {

// No sensible layout is wider; a typing error must not eat the memory.
constexpr std::size_t kMaxWidth = 1'000'000;

bool is_align(char32_t point) { return point == U'<' || point == U'>' || point == U'^' || point == U'='; }

std::size_t count_points(std::string_view text) {
  const bool ascii = std::all_of(text.begin(), text.end(), [](char c) { return static_cast<signed char>(c) >= 0; });
  return ascii ? text.size() : code_points(text).size();
}

void append_fill(char32_t fill, std::size_t count, std::string& out) {
  if (fill < 0x80) {
    out.append(count, static_cast<char>(fill));
    return;
  }
  const std::string one = from_code_points({&fill, 1});
  for (std::size_t i = 0; i < count; ++i) out += one;
}

void append_aligned(const FormatSpec& spec, char align, std::string_view value, std::size_t points, std::string& out) {
  const std::size_t padding = spec.width > points ? spec.width - points : 0;
  const std::size_t left = align == '>' ? padding : align == '^' ? padding / 2 : 0;
  append_fill(spec.fill, left, out);
  out += value;
  append_fill(spec.fill, padding - left, out);
}

// Separators every `every` digits; zeros in front count as digits, so they are added here up to `width`.
std::string grouped(std::string digits, char separator, std::size_t every, std::size_t width) {
  const auto length = [&](std::size_t count) { return count + (count == 0 ? 0 : (count - 1) / every); };
  while (length(digits.size()) < width) digits.insert(digits.begin(), '0');
  std::string out;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % every == 0) out += separator;
    out += digits[i];
  }
  return out;
}

// Sign and prefix, then fill if the alignment is "=", then the digits.
void append_number(const FormatSpec& spec, std::string_view head, std::string_view digits, std::string& out) {
  const std::size_t size = head.size() + digits.size();
  if (spec.align != '=') {
    append_aligned(spec, spec.align == '\0' ? '>' : spec.align, std::string(head) + std::string(digits), size, out);
    return;
  }
  out += head;
  append_fill(spec.fill, spec.width > size ? spec.width - size : 0, out);
  out += digits;
}

std::string sign_of(const FormatSpec& spec, bool negative) {
  if (negative) return "-";
  return spec.sign == '+' || spec.sign == ' ' ? std::string(1, spec.sign) : std::string();
}

Status format_float(const FormatSpec& spec, std::int64_t value, std::string& out) {
  const bool percent = spec.type == '%';
  const double number = static_cast<double>(value) * (percent ? 100 : 1);
  const char format[] = {'%', '.', '*', percent ? 'f' : spec.type, '\0'};
  const int precision = static_cast<int>(std::min<std::size_t>(spec.precision.value_or(6), 100));
  char text[512];
  // The format is put together from checked letters.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  const int size = std::snprintf(text, sizeof text, format, precision, number < 0 ? -number : number);
#pragma GCC diagnostic pop
  std::string digits(text, static_cast<std::size_t>(std::clamp(size, 0, static_cast<int>(sizeof text) - 1)));
  const std::string head = sign_of(spec, value < 0);
  if (spec.grouping != '\0') {
    const std::size_t point = std::min(digits.find_first_of(".e"), digits.size());
    const std::string rest = digits.substr(point) + (percent ? "%" : "");
    const std::size_t taken = head.size() + rest.size();
    const std::size_t width = spec.align == '=' && spec.fill == U'0' && spec.width > taken ? spec.width - taken : 0;
    digits = grouped(digits.substr(0, point), spec.grouping, 3, width) + rest;
  } else if (percent) {
    digits += '%';
  }
  append_number(spec, head, digits, out);
  return {};
}

}  // namespace

Result<FormatSpec> parse_format_spec(std::string_view text) {
  FormatSpec spec;
  if (text.empty()) return spec;
  const auto bad = [&] { return fail(Code::Command, fmt::format("Invalid format specifier '{}'", text)); };
  std::u32string_view rest;
  const std::u32string points = code_points(text);
  rest = points;
  const auto next_is = [&](char32_t point) { return !rest.empty() && rest.front() == point; };
  const auto take = [&] {
    const auto point = static_cast<char>(rest.front());
    rest.remove_prefix(1);
    return point;
  };
  const auto take_number = [&](std::size_t& to) {
    const std::size_t before = rest.size();
    to = 0;
    while (!rest.empty() && rest.front() >= U'0' && rest.front() <= U'9') {
      to = std::min<std::size_t>(to * 10 + static_cast<std::size_t>(take() - '0'), kMaxWidth + 1);
    }
    return rest.size() != before;
  };
  bool fill_given = false;
  if (rest.size() >= 2 && is_align(rest[1])) {
    spec.fill = rest[0];
    fill_given = true;
    rest.remove_prefix(1);
    spec.align = take();
  } else if (is_align(rest[0])) {
    spec.align = take();
  }
  if (next_is(U'+') || next_is(U'-') || next_is(U' ')) spec.sign = take();
  if (next_is(U'#')) spec.alternate = take() == '#';
  if (!fill_given && next_is(U'0')) {
    take();
    spec.zero = true;
    spec.fill = U'0';
  }
  take_number(spec.width);
  if (next_is(U',') || next_is(U'_')) spec.grouping = take();
  if (next_is(U'.')) {
    take();
    std::size_t precision = 0;
    if (!take_number(precision)) return fail(Code::Command, "Format specifier missing precision");
    spec.precision = precision;
  }
  if (rest.size() > 1 || (rest.size() == 1 && rest[0] > 0x7f)) return bad();
  if (!rest.empty()) spec.type = take();
  if (spec.width > kMaxWidth || spec.precision.value_or(0) > kMaxWidth) {
    return fail(Code::Command, "Too many decimal digits in format string");
  }
  return spec;
}

Status format_text(const FormatSpec& spec, std::string_view value, std::string& out) {
  if (spec.type != '\0' && spec.type != 's') {
    return fail(Code::Command, fmt::format("Unknown format code '{}' for object of type 'str'", spec.type));
  }
  if (spec.sign != '\0') {
    return fail(Code::Command,
                fmt::format("{} not allowed in string format specifier", spec.sign == ' ' ? "Space" : "Sign"));
  }
  if (spec.alternate) return fail(Code::Command, "Alternate form (#) not allowed in string format specifier");
  if (spec.align == '=') return fail(Code::Command, "'=' alignment not allowed in string format specifier");
  if (spec.grouping != '\0') return fail(Code::Command, fmt::format("Cannot specify '{}' with 's'.", spec.grouping));
  const char align = spec.align == '\0' ? '<' : spec.align;
  if (!spec.precision) {
    append_aligned(spec, align, value, count_points(value), out);
    return {};
  }
  const std::u32string points = code_points(value);
  const std::u32string_view cut = std::u32string_view(points).substr(0, *spec.precision);
  append_aligned(spec, align, from_code_points(cut), cut.size(), out);
  return {};
}

Status format_integer(const FormatSpec& given, std::int64_t value, std::string& out) {
  FormatSpec spec = given;
  if (spec.zero && spec.align == '\0') spec.align = '=';
  if (spec.type != '\0' && std::string_view("eEfFgG%").find(spec.type) != std::string_view::npos) {
    return format_float(spec, value, out);
  }
  if (spec.precision) return fail(Code::Command, "Precision not allowed in integer format specifier");
  const std::uint64_t size = value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
  std::string head = sign_of(spec, value < 0);
  std::string digits;
  std::size_t every = 4;
  switch (spec.type) {
    case '\0':
    case 'd':
    case 'n':
      digits = fmt::format("{}", size);
      every = 3;
      break;
    case 'x':
      digits = fmt::format("{:x}", size);
      if (spec.alternate) head += "0x";
      break;
    case 'X':
      digits = fmt::format("{:X}", size);
      if (spec.alternate) head += "0X";
      break;
    case 'o':
      digits = fmt::format("{:o}", size);
      if (spec.alternate) head += "0o";
      break;
    case 'b':
      digits = fmt::format("{:b}", size);
      if (spec.alternate) head += "0b";
      break;
    case 'c': {
      if (spec.sign != '\0') return fail(Code::Command, "Sign not allowed with integer format specifier 'c'");
      if (value < 0 || value > 0x10ffff) return fail(Code::Command, "%c arg not in range(0x110000)");
      const auto point = static_cast<char32_t>(value);
      append_aligned(spec, spec.align == '\0' ? '>' : spec.align, from_code_points({&point, 1}), 1, out);
      return {};
    }
    default:
      return fail(Code::Command, fmt::format("Unknown format code '{}' for object of type 'int'", spec.type));
  }
  const bool decimal = every == 3;
  if (spec.grouping == ',' && !decimal)
    return fail(Code::Command, fmt::format("Cannot specify ',' with '{}'.", spec.type));
  if (spec.grouping != '\0' && spec.type == 'n') {
    return fail(Code::Command, fmt::format("Cannot specify '{}' with 'n'.", spec.grouping));
  }
  if (spec.grouping != '\0') {
    const std::size_t width =
        spec.align == '=' && spec.fill == U'0' && spec.width > head.size() ? spec.width - head.size() : 0;
    digits = grouped(std::move(digits), spec.grouping, every, width);
  }
  append_number(spec, head, digits, out);
  return {};
}

}  // namespace cairn::archive
