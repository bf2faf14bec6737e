// The option string of the chunkers: splitting, Python's idea of an integer, and the checks in Borg's order.
// Follows docs/format (chunkers, section 1.1).
#include "chunk/params.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <vector>

#include "base/check.h"

namespace cairn::chunk {
namespace {

constexpr std::int64_t kMaxDataSize = 20971479;
constexpr std::array<std::string_view, 8> kNames = {"fastcdc",   "buzhash64",      "buzhash", "toeplitz-aes",
                                                    "rabin-aes", "goldilocks-aes", "fixed",   "fail"};

// What Python's int() takes for a blank, and what str.strip() takes for one.
bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool is_space(char c) { return is_blank(c) || (c >= '\x1c' && c <= '\x1f'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view strip(std::string_view text, bool (*strippable)(char)) {
  while (!text.empty() && strippable(text.front())) text.remove_prefix(1);
  while (!text.empty() && strippable(text.back())) text.remove_suffix(1);
  return text;
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> fields;
  while (true) {
    const std::size_t comma = text.find(',');
    fields.push_back(text.substr(0, comma));
    if (comma == std::string_view::npos) return fields;
    text.remove_prefix(comma + 1);
  }
}

// Python's int(): outer blanks, a sign, single underscores between digits. What does not fit is held at the ends of the
// range, which every check below still judges as Borg would.
std::optional<std::int64_t> integer(std::string_view text) {
  text = strip(text, is_blank);
  bool negative = false;
  if (!text.empty() && (text.front() == '+' || text.front() == '-')) {
    negative = text.front() == '-';
    text.remove_prefix(1);
  }
  if (text.empty() || !is_digit(text.front()) || !is_digit(text.back())) return std::nullopt;
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / 4;
  std::int64_t value = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '_') {
      if (text[i - 1] == '_') return std::nullopt;
      continue;
    }
    if (!is_digit(text[i])) return std::nullopt;
    value = value > most / 10 ? most : value * 10 + (text[i] - '0');
  }
  return negative ? -value : value;
}

// As Python prints a str that may hold anything.
std::string quoted(std::string_view text) {
  const bool has_single = text.find('\'') != std::string_view::npos;
  const char quote = has_single && text.find('"') == std::string_view::npos ? '"' : '\'';
  std::string result(1, quote);
  for (const char c : text) {
    if (c == quote || c == '\\') {
      result += {'\\', c};
    } else if (c == '\n') {
      result += "\\n";
    } else if (c == '\r') {
      result += "\\r";
    } else if (c == '\t') {
      result += "\\t";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      result += c;
    }
  }
  return result + quote;
}

// The numbers before they are narrowed to Params.
struct Exponents {
  std::int64_t min, max, mask;
};

std::string_view refuse_exponents(const Exponents& e) {  // checks A, B and C
  if (!(e.min <= e.mask && e.mask <= e.max)) return "required: chunk_min <= chunk_mask <= chunk_max";
  if (e.min < 6) return "min. chunk size exponent must not be less than 6 (2^6 = 64B min. chunk size)";
  if (e.max > 23) return "max. chunk size exponent must not be more than 23 (2^23 = 8MiB max. chunk size)";
  return {};
}

std::string_view refuse_window(const Exponents& e, std::int64_t window) {  // check W; a negative window is Cairn's
  if (window < 0 || window + (std::int64_t{1} << e.min) + 1 > std::int64_t{1} << e.max) {
    return "required: window_size + 2^chunk_min + 1 <= 2^chunk_max";
  }
  return {};
}

std::string_view refuse_nc_level(const Exponents& e, std::int64_t level) {  // check N
  if (!(level >= 0 && e.mask - level >= 1 && e.mask + level <= 48)) {
    return "required: 0 <= nc_level and 1 <= chunk_mask - nc_level and chunk_mask + nc_level <= 48";
  }
  return {};
}

std::string_view refuse_fixed(std::int64_t block_size, std::int64_t header_size) {
  if (block_size < 64) return "block_size must not be less than 64 Bytes";
  if (block_size > kMaxDataSize || header_size > kMaxDataSize) {
    return "block_size and header_size must not exceed MAX_DATA_SIZE [20971479]";
  }
  return {};
}

std::string_view refuse(Algorithm algorithm, const Exponents& e, std::int64_t window, std::int64_t level) {
  if (const std::string_view why = refuse_exponents(e); !why.empty()) return why;
  switch (algorithm) {
    case Algorithm::Buzhash:
      if (window % 2 == 0) return "window_size must be an uneven (odd) number";
      return refuse_window(e, window);
    case Algorithm::Buzhash64:
      if (const std::string_view why = refuse_window(e, window); !why.empty()) return why;
      return refuse_nc_level(e, level);
    default:
      if (e.min >= e.max) return "required: chunk_min < chunk_max";
      return refuse_nc_level(e, level);
  }
}

// After a successful refuse(), the numbers fit.
Params accepted(Algorithm algorithm, const Exponents& e, std::int64_t window, std::int64_t level) {
  Params params;
  params.algorithm = algorithm;
  params.min_exp = static_cast<int>(e.min);
  params.max_exp = static_cast<int>(e.max);
  params.mask_bits = static_cast<int>(e.mask);
  params.window = static_cast<int>(window);
  params.nc_level = static_cast<int>(level);
  return params;
}

std::optional<Algorithm> content_defined(std::string_view name) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    const auto algorithm = static_cast<Algorithm>(i);
    if (kNames[i] == name && algorithm != Algorithm::Fixed && algorithm != Algorithm::Fail) return algorithm;
  }
  return std::nullopt;
}

}  // namespace

std::string_view name_of(Algorithm algorithm) { return kNames[static_cast<std::size_t>(algorithm)]; }

std::string Params::text() const {
  const std::string_view name = name_of(algorithm);
  switch (algorithm) {
    case Algorithm::Fixed:
      return fmt::format("{},{},{}", name, block_size, header_size);
    case Algorithm::Fail:
      return fmt::format("{},{},{}", name, block_size, fail_map);
    case Algorithm::Buzhash:
      return fmt::format("{},{},{},{},{}", name, min_exp, max_exp, mask_bits, window);
    case Algorithm::Buzhash64:
      return fmt::format("{},{},{},{},{},{}", name, min_exp, max_exp, mask_bits, window, nc_level);
    default:
      return fmt::format("{},{},{},{},{}", name, min_exp, max_exp, mask_bits, nc_level);
  }
}

std::size_t Params::max_chunk() const {
  switch (algorithm) {
    case Algorithm::Fixed:
      return static_cast<std::size_t>(std::max({block_size, header_size, std::int64_t{0}}));
    case Algorithm::Fail:
      return static_cast<std::size_t>(std::max(block_size, std::int64_t{0}));
    default:
      return std::size_t{1} << max_exp;
  }
}

Status check_params(const Params& params) {
  std::string_view why;
  if (params.algorithm == Algorithm::Fixed) {
    why = refuse_fixed(params.block_size, params.header_size);
  } else if (params.algorithm != Algorithm::Fail) {
    why = refuse(params.algorithm, {params.min_exp, params.max_exp, params.mask_bits}, params.window, params.nc_level);
  }
  if (!why.empty()) return fail(Code::Usage, std::string(why));
  return {};
}

Result<Params> parse_params(std::string_view text, const Params& fallback) {
  std::vector<std::string_view> fields = split(strip(text, is_space));
  const std::string name = lower(fields[0]);
  const std::size_t count = fields.size();

  // All numeric fields from `from` on; empty optionals mean the generic message.
  std::array<std::int64_t, 5> numbers{};
  const auto read_numbers = [&](std::size_t from, std::size_t end) {
    for (std::size_t i = from; i < end; ++i) {
      const std::optional<std::int64_t> number = integer(fields[i]);
      if (!number) return false;
      numbers[i - from] = *number;
    }
    return true;
  };
  const auto not_a_number = [&] {
    return fail(Code::Usage, fmt::format("invalid ChunkerParams value: {}", quoted(text)));
  };

  if (name == "fail" && count == 3) {
    if (!read_numbers(1, 2)) return not_a_number();
    Params params;
    params.algorithm = Algorithm::Fail;
    params.block_size = numbers[0];
    params.fail_map = std::string(fields[2]);
    return params;
  }
  if (name == "fixed" && (count == 2 || count == 3)) {
    if (!read_numbers(1, count)) return not_a_number();
    if (const std::string_view why = refuse_fixed(numbers[0], numbers[1]); !why.empty()) {
      return fail(Code::Usage, std::string(why));
    }
    Params params;
    params.algorithm = Algorithm::Fixed;
    params.block_size = numbers[0];
    params.header_size = numbers[1];
    return params;
  }
  if (name == "default" && count == 1) return fallback;

  const bool old_style = count == 4 && std::ranges::all_of(fields, [](std::string_view field) {
                           return !field.empty() && std::ranges::all_of(field, is_digit);
                         });
  const std::optional<Algorithm> algorithm = old_style ? Algorithm::Buzhash : content_defined(name);
  if (!algorithm) return fail(Code::Usage, "invalid chunker params");

  const bool has_window = *algorithm == Algorithm::Buzhash || *algorithm == Algorithm::Buzhash64;
  const bool has_level = *algorithm != Algorithm::Buzhash;
  const std::size_t first = old_style ? 0 : 1;
  const std::size_t expected = first + 3U + (has_window ? 1U : 0U) + (has_level ? 1U : 0U);
  if (count != expected) {
    if (*algorithm == Algorithm::Buzhash) return fail(Code::Usage, "invalid chunker params");
    return fail(Code::Usage, fmt::format("{0} chunker params must be: {0},chunk_min,chunk_max,chunk_mask,{1}nc_level",
                                         name, has_window ? "window_size," : ""));
  }
  if (!read_numbers(first, count)) return not_a_number();
  const Exponents exponents{numbers[0], numbers[1], numbers[2]};
  const Params defaults;
  const std::int64_t window = has_window ? numbers[3] : defaults.window;
  const std::int64_t level = has_level ? numbers[has_window ? 4 : 3] : defaults.nc_level;
  if (const std::string_view why = refuse(*algorithm, exponents, window, level); !why.empty()) {
    return fail(Code::Usage, std::string(why));
  }
  return accepted(*algorithm, exponents, window, level);
}

}  // namespace cairn::chunk
