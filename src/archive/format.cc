#include "archive/format.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "archive/python_text.h"
#include "archive/time.h"

namespace cairn::archive {
namespace {

struct FixedKey {
  std::string_view name;
  std::string_view text;
};
constexpr FixedKey kFixedKeys[] = {{"NEWLINE", "\n"},
                                   {"NL", "\n"},
                                   {"LF", "\n"},
                                   {"SPACE", " "},
                                   {"TAB", "\t"},
                                   {"CR", "\r"},
                                   {"NUL", std::string_view("\0", 1)}};

std::optional<std::string_view> fixed_text(std::string_view name) {
  for (const FixedKey& key : kFixedKeys) {
    if (key.name == name) return key.text;
  }
  return std::nullopt;
}

// The end of a field that starts behind its opening brace: the brace that closes it, nested ones counted.
std::size_t closing_brace(std::string_view text, std::size_t from) {
  int depth = 1;
  for (std::size_t i = from; i < text.size(); ++i) {
    if (text[i] == '{') ++depth;
    if (text[i] == '}' && --depth == 0) return i;
  }
  return std::string_view::npos;
}

// Splits "name!c:spec".
Status split_field(std::string_view text, FormatField& field) {
  std::size_t at = 0;
  while (at < text.size() && text[at] != ':' && text[at] != '!') {
    if (text[at] == '{') return fail(Code::Command, "unexpected '{' in field name");
    if (text[at] == '[') at = std::min(text.find(']', at), text.size() - 1);
    ++at;
  }
  field.name = text.substr(0, at);
  if (at == text.size()) return {};
  if (text[at] == '!') {
    if (at + 1 >= text.size()) return fail(Code::Command, "end of string while looking for conversion specifier");
    field.conversion = text[at + 1];
    at += 2;
    if (at == text.size()) return {};
    if (text[at] != ':') return fail(Code::Command, "expected ':' after conversion specifier");
  }
  field.spec = text.substr(at + 1);
  return {};
}

std::string plain(const FormatValue& value) {
  if (const auto* view = std::get_if<std::string_view>(&value)) return std::string(*view);
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* number = std::get_if<std::int64_t>(&value)) return fmt::format("{}", *number);
  return iso_local(std::get<TimeValue>(value).time);
}

bool is_number(const FormatValue& value) { return std::holds_alternative<std::int64_t>(value); }

std::string_view text_view(const FormatValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  return std::get<std::string_view>(value);
}

// `parsed` is the specification if it is one for texts and numbers.
Status put_value(const FormatValue& value, std::string_view spec, const FormatSpec* parsed, char conversion,
                 std::string& out) {
  if (conversion != '\0') {
    const std::string text = plain(value);
    const bool quote = conversion != 's' && !is_number(value);
    return put_value(quote ? python_repr(std::string_view(text)) : text, spec, parsed, '\0', out);
  }
  if (const auto* time = std::get_if<TimeValue>(&value)) {
    out += spec.empty() ? human(time->time) : strftime_local(time->time, std::string(spec));
    return {};
  }
  if (spec.empty()) {
    if (is_number(value)) {
      fmt::format_to(std::back_inserter(out), "{}", std::get<std::int64_t>(value));
    } else {
      out += text_view(value);
    }
    return {};
  }
  if (parsed == nullptr) return fail(Code::Command, fmt::format("Invalid format specifier '{}'", spec));
  if (is_number(value)) return format_integer(*parsed, std::get<std::int64_t>(value), out);
  return format_text(*parsed, text_view(value), out);
}

}  // namespace

Result<std::vector<FormatField>> split_format(std::string_view text) {
  std::vector<FormatField> fields;
  FormatField field;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c != '{' && c != '}') {
      field.literal += c;
      continue;
    }
    if (i + 1 < text.size() && text[i + 1] == c) {
      field.literal += c;
      ++i;
      continue;
    }
    if (c == '}') return fail(Code::Command, "Single '}' encountered in format string");
    if (i + 1 == text.size()) return fail(Code::Command, "Single '{' encountered in format string");
    const std::size_t end = closing_brace(text, i + 1);
    if (end == std::string_view::npos) return fail(Code::Command, "expected '}' before end of string");
    CAIRN_CHECKED(split_field(text.substr(i + 1, end - i - 1), field));
    field.has_field = true;
    fields.push_back(std::move(field));
    field = {};
    i = end;
  }
  if (!field.literal.empty()) fields.push_back(std::move(field));
  return fields;
}

Result<FormatTemplate> FormatTemplate::compile(std::string_view text, std::span<const std::string_view> known) {
  const auto invalid = [](std::string_view reason) {
    return fail(Code::Command, fmt::format("Invalid format string: {}", reason));
  };
  auto fields = split_format(text);
  if (!fields) return invalid(fields.error().message());
  FormatTemplate out;
  std::set<std::string> unknown;
  for (FormatField& field : *fields) {
    Piece piece;
    piece.literal = std::move(field.literal);
    if (!field.has_field) {
      out.pieces_.push_back(std::move(piece));
      continue;
    }
    if (field.name.empty()) return invalid("Format string contains positional fields");
    if (field.spec.find('{') != std::string::npos) return invalid("nested fields are not supported");
    if (field.conversion != '\0' && std::string_view("sra").find(field.conversion) == std::string_view::npos) {
      return invalid(fmt::format("Unknown conversion specifier {}", field.conversion));
    }
    piece.conversion = field.conversion;
    piece.spec_text = std::move(field.spec);
    if (auto spec = parse_format_spec(piece.spec_text)) piece.spec = *spec;
    if (const auto fixed = fixed_text(field.name)) {
      const Status status =
          put_value(*fixed, piece.spec_text, piece.spec ? &*piece.spec : nullptr, piece.conversion, piece.literal);
      if (!status) return invalid(status.error().message());
      out.pieces_.push_back(std::move(piece));
      continue;
    }
    if (std::find(known.begin(), known.end(), field.name) == known.end()) {
      unknown.insert(field.name);
      continue;
    }
    piece.key = static_cast<std::size_t>(std::find(out.keys_.begin(), out.keys_.end(), field.name) - out.keys_.begin());
    if (piece.key == out.keys_.size()) out.keys_.push_back(field.name);
    out.pieces_.push_back(std::move(piece));
  }
  if (!unknown.empty()) {
    std::string names;
    for (const std::string& name : unknown) names += (names.empty() ? "" : ", ") + name;
    return fail(Code::Command, fmt::format("Invalid format keys: {}", names));
  }
  return out;
}

bool FormatTemplate::uses(std::string_view key) const {
  return std::find(keys_.begin(), keys_.end(), key) != keys_.end();
}

Status FormatTemplate::render(const std::function<FormatValue(std::size_t)>& value, std::string& out) const {
  for (const Piece& piece : pieces_) {
    out += piece.literal;
    if (piece.key == kNoKey) continue;
    Status status =
        put_value(value(piece.key), piece.spec_text, piece.spec ? &*piece.spec : nullptr, piece.conversion, out);
    if (!status) {
      return fail(Code::Command, fmt::format("Invalid format string: {}", status.error().message()));
    }
  }
  return {};
}

Status format_value(const FormatValue& value, std::string_view spec, char conversion, std::string& out) {
  const auto parsed = parse_format_spec(spec);
  return put_value(value, spec, parsed ? &*parsed : nullptr, conversion, out);
}

}  // namespace cairn::archive
