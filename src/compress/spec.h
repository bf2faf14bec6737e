// What the user asks for with -C/--compression: the specification, its text forms and its errors.
// Source: docs/format (compression, section 7).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"

namespace cairn::compress {

// The ctype byte of an object.
enum class Method : std::uint8_t { None = 0, Lz4 = 1, Lzma = 2, Zstd = 3, Zlib = 5 };

struct Spec {
  Method method = Method::Lz4;
  int level = 0;                   // meaningful for Lzma, Zstd, Zlib
  bool automatic = false;          // auto: probe with lz4, then perhaps `method`
  std::optional<int> obfuscate{};  // 1..6, 110..123 or 250

  // Canonical text: "none", "lz4", "zstd,3", "auto,zlib,6", "obfuscate,110,auto,zstd,3".
  std::string text() const;
  // The clevel byte of an object that this spec compressed; with ctype and olevel the triple that repo-compress wants.
  std::uint8_t level_byte() const;
  friend bool operator==(const Spec&, const Spec&) = default;
};

// Fields after "none" and "lz4" are ignored; obfuscate inside obfuscate is refused, auto inside auto is one auto.
// Errors are Usage, with Borg's message ("unsupported compression type", "level must be >= 0 and <= 9" ...).
Result<Spec> parse_spec(std::string_view text);

}  // namespace cairn::compress
