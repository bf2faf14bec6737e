// Parsing and printing of compression specifications. Source: docs/format/compression.md section 7.
//
// Two departures: obfuscate inside obfuscate is refused, because nobody can read what it writes, and auto inside auto
// is the same as one auto, so it is printed as one.
#include "compress/spec.h"

#include <fmt/format.h>

#include <span>
#include <vector>

#include "compress/int_text.h"

namespace cairn::compress {
namespace {

using Fields = std::span<const std::string_view>;

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> fields;
  for (;;) {
    const std::size_t comma = text.find(',');
    fields.push_back(text.substr(0, comma));
    if (comma == std::string_view::npos) return fields;
    text.remove_prefix(comma + 1);
  }
}

struct Levelled {
  std::string_view name;
  Method method;
  int lowest;
  int highest;
  int usual;
};
constexpr Levelled kLevelled[] = {
    {"zlib", Method::Zlib, 0, 9, 6},
    {"lzma", Method::Lzma, 0, 9, 6},
    {"zstd", Method::Zstd, -128, 22, 3},
};

bool is_obfuscation_level(std::int64_t level) {
  return (level >= 1 && level <= 6) || (level >= 110 && level <= 123) || level == 250;
}

struct Parser {
  std::string_view whole;

  Result<std::int64_t> number(std::string_view field) const {
    const auto value = parse_int(field);
    if (!value) return fail(Code::Usage, fmt::format("invalid CompressionSpec value: '{}'", whole));
    return *value;
  }

  Result<Spec> parse(Fields fields, bool obfuscated) const {  // NOLINT(misc-no-recursion): at most five fields deep
    const std::string_view name = fields[0];
    if (name == "none") return Spec{.method = Method::None};
    if (name == "lz4") return Spec{.method = Method::Lz4};
    for (const Levelled& codec : kLevelled) {
      if (name != codec.name) continue;
      if (fields.size() > 2) return fail(Code::Usage, "too many arguments");
      if (fields.size() < 2) return Spec{.method = codec.method, .level = codec.usual};
      CAIRN_TRY(const std::int64_t level, number(fields[1]));
      if (level < codec.lowest || level > codec.highest) {
        return fail(Code::Usage, fmt::format("level must be >= {} and <= {}", codec.lowest, codec.highest));
      }
      return Spec{.method = codec.method, .level = static_cast<int>(level)};
    }
    if (name == "auto") {
      if (fields.size() < 2 || fields.size() > 3) return fail(Code::Usage, "bad arguments");
      CAIRN_TRY(Spec inner, parse(fields.subspan(1), obfuscated));
      inner.automatic = true;
      return inner;
    }
    if (name == "obfuscate") {
      if (fields.size() < 3 || fields.size() > 5) return fail(Code::Usage, "bad arguments");
      CAIRN_TRY(const std::int64_t level, number(fields[1]));
      if (!is_obfuscation_level(level)) {
        return fail(Code::Usage, "level must be (inclusively) within 1...6, 110...123 or equal to 250");
      }
      if (obfuscated) return fail(Code::Usage, "obfuscate must not contain another obfuscate");
      CAIRN_TRY(Spec inner, parse(fields.subspan(2), true));
      inner.obfuscate = static_cast<int>(level);
      return inner;
    }
    return fail(Code::Usage, "unsupported compression type");
  }
};

}  // namespace

Result<Spec> parse_spec(std::string_view text) { return Parser{text}.parse(split(text), false); }

std::string Spec::text() const {
  std::string text;
  if (obfuscate) text += fmt::format("obfuscate,{},", *obfuscate);
  if (automatic) text += "auto,";
  switch (method) {
    case Method::None:
      return text + "none";
    case Method::Lz4:
      return text + "lz4";
    case Method::Lzma:
      return text + fmt::format("lzma,{}", level);
    case Method::Zstd:
      return text + fmt::format("zstd,{}", level);
    case Method::Zlib:
      return text + fmt::format("zlib,{}", level);
  }
  return text;
}

std::uint8_t Spec::level_byte() const {
  switch (method) {
    case Method::None:
    case Method::Lz4:
      return 255;
    case Method::Lzma:
    case Method::Zstd:
    case Method::Zlib:
      break;
  }
  return static_cast<std::uint8_t>(level);  // zstd's negative levels as two's complement
}

}  // namespace cairn::compress
