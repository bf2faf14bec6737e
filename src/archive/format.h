// Templates like "{mode} {size:8} {path}{NL}": compiled once, rendered for every item or archive.
//
// Threads   const use is safe from any number of threads.
// Errors    Command, in Borg's words: "Invalid format keys: bar, foo", "Invalid format string: ...".
// Source    docs/format (cli, section 8.3).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "archive/format_spec.h"
#include "base/clock.h"
#include "base/error.h"

namespace cairn::archive {

// One replacement field and the literal text in front of it. The last one may be text alone.
struct FormatField {
  std::string literal{};
  bool has_field = false;
  std::string name{};
  char conversion = '\0';  // behind "!"
  std::string spec{};      // behind ":", nested fields as they stand
};
// Splits a format string; "{{" and "}}" are braces. The error's message is the bare reason, as Python words it.
Result<std::vector<FormatField>> split_format(std::string_view text);

// A time: shown as human() by itself, with strftime (local zone) if the field has a specification.
struct TimeValue {
  Nanoseconds time = 0;
};
using FormatValue = std::variant<std::string_view, std::string, std::int64_t, TimeValue>;

class FormatTemplate {
 public:
  // `known` lists the keys that exist beside the fixed ones (NEWLINE NL LF SPACE TAB CR NUL).
  static Result<FormatTemplate> compile(std::string_view text, std::span<const std::string_view> known);

  // The keys in use, without the fixed ones, each once, in order of appearance.
  const std::vector<std::string>& keys() const { return keys_; }
  bool uses(std::string_view key) const;

  // Appends to `out`. `value` gives the value of keys()[index]; a view must live until the next call.
  Status render(const std::function<FormatValue(std::size_t index)>& value, std::string& out) const;

 private:
  struct Piece {
    std::string literal;
    std::size_t key = kNoKey;
    char conversion = '\0';
    std::string spec_text;
    std::optional<FormatSpec> spec;  // none if spec_text is only good for times
  };
  static constexpr std::size_t kNoKey = SIZE_MAX;

  std::vector<Piece> pieces_;
  std::vector<std::string> keys_;
};

// Lays out one value; used for placeholders too.
Status format_value(const FormatValue& value, std::string_view spec, char conversion, std::string& out);

}  // namespace cairn::archive
