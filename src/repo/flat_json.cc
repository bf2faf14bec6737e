#include "repo/flat_json.h"

#include <charconv>

#include <fmt/format.h>

namespace cairn::repo {
namespace {

constexpr std::size_t kMaxValues = 64;  // the objects read here have a dozen

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  bool take(char c) {
    skip_blanks();
    if (position_ < text_.size() && text_[position_] == c) {
      ++position_;
      return true;
    }
    return false;
  }
  bool at_end() {
    skip_blanks();
    return position_ == text_.size();
  }
  char peek() {
    skip_blanks();
    return position_ < text_.size() ? text_[position_] : '\0';
  }
  bool literal(std::string_view word) {
    skip_blanks();
    if (!text_.substr(position_).starts_with(word)) return false;
    position_ += word.size();
    return true;
  }
  std::optional<std::int64_t> integer() {
    skip_blanks();
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text_.data() + position_, text_.data() + text_.size(), value);
    if (error != std::errc()) return std::nullopt;
    position_ = static_cast<std::size_t>(end - text_.data());
    return value;
  }
  std::optional<std::string> string() {
    if (!take('"')) return std::nullopt;
    std::string out;
    while (position_ < text_.size()) {
      const char c = text_[position_++];
      if (c == '"') return out;
      if (static_cast<unsigned char>(c) < 0x20) return std::nullopt;
      if (c != '\\') {
        out += c;
      } else if (!escape(out)) {
        return std::nullopt;
      }
    }
    return std::nullopt;
  }

 private:
  void skip_blanks() {
    while (position_ < text_.size() && std::string_view(" \t\r\n").find(text_[position_]) != std::string_view::npos) {
      ++position_;
    }
  }
  bool escape(std::string& out) {
    if (position_ >= text_.size()) return false;
    const char c = text_[position_++];
    static constexpr std::string_view kFrom = "\"\\/bfnrt";
    static constexpr std::string_view kTo = "\"\\/\b\f\n\r\t";
    if (const auto at = kFrom.find(c); at != std::string_view::npos) {
      out += kTo[at];
      return true;
    }
    if (c != 'u' || text_.size() - position_ < 4) return false;
    unsigned code = 0;
    const auto [end, error] = std::from_chars(text_.data() + position_, text_.data() + position_ + 4, code, 16);
    if (error != std::errc() || end != text_.data() + position_ + 4) return false;
    position_ += 4;
    append_utf8(code, out);
    return true;
  }
  // Surrogates are kept one by one (as WTF-8): these texts are shown at most, never written back.
  static void append_utf8(unsigned code, std::string& out) {
    if (code < 0x80) {
      out += static_cast<char>(code);
    } else if (code < 0x800) {
      out += static_cast<char>(0xc0U | (code >> 6U));
      out += static_cast<char>(0x80U | (code & 0x3fU));
    } else {
      out += static_cast<char>(0xe0U | (code >> 12U));
      out += static_cast<char>(0x80U | ((code >> 6U) & 0x3fU));
      out += static_cast<char>(0x80U | (code & 0x3fU));
    }
  }

  std::string_view text_;
  std::size_t position_ = 0;
};

}  // namespace

Result<FlatJson> FlatJson::parse(std::string_view text) {
  FlatJson json;
  Parser parser(text);
  if (!parser.take('{')) return fail(Code::Integrity, "malformed JSON");
  bool first = true;
  while (!parser.take('}')) {
    if (!first && !parser.take(',')) return fail(Code::Integrity, "malformed JSON");
    first = false;
    auto key = parser.string();
    if (!key || !parser.take(':') || json.values_.size() >= kMaxValues) return fail(Code::Integrity, "malformed JSON");
    Value value;
    if (parser.peek() == '"') {
      auto string = parser.string();
      if (!string) return fail(Code::Integrity, "malformed JSON");
      value = std::move(*string);
    } else if (parser.take('[')) {
      std::vector<std::string> list;
      while (!parser.take(']')) {
        if (!list.empty() && !parser.take(',')) return fail(Code::Integrity, "malformed JSON");
        auto element = parser.string();
        if (!element || list.size() >= kMaxValues) return fail(Code::Integrity, "malformed JSON");
        list.push_back(std::move(*element));
      }
      value = std::move(list);
    } else if (parser.literal("true")) {
      value = true;
    } else if (parser.literal("false")) {
      value = false;
    } else if (!parser.literal("null")) {
      const auto integer = parser.integer();
      if (!integer) return fail(Code::Integrity, "malformed JSON");
      value = *integer;
    }
    json.values_.insert_or_assign(std::move(*key), std::move(value));
  }
  if (!parser.at_end()) return fail(Code::Integrity, "malformed JSON");
  return json;
}

std::optional<std::int64_t> FlatJson::integer(std::string_view key) const {
  const auto* value = get<std::int64_t>(key);
  return value == nullptr ? std::nullopt : std::optional(*value);
}
std::optional<std::string> FlatJson::text(std::string_view key) const {
  const auto* value = get<std::string>(key);
  return value == nullptr ? std::nullopt : std::optional(*value);
}
std::optional<bool> FlatJson::boolean(std::string_view key) const {
  const auto* value = get<bool>(key);
  return value == nullptr ? std::nullopt : std::optional(*value);
}
const std::vector<std::string>* FlatJson::list(std::string_view key) const {
  return get<std::vector<std::string>>(key);
}

std::string json_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  return out + "\"";
}

}  // namespace cairn::repo
