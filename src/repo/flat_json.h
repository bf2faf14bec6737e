// Reading the small JSON objects inside repository objects (table headers, locks): one level of keys with texts,
// integers, booleans and lists of texts. A whole JSON library would be read into every program start for this.
//
// Errors    Integrity: not an object, trailing bytes, bad escapes, nesting where none is expected.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.h"

namespace cairn::repo {

class FlatJson {
 public:
  static Result<FlatJson> parse(std::string_view text);

  std::optional<std::int64_t> integer(std::string_view key) const;
  std::optional<std::string> text(std::string_view key) const;
  std::optional<bool> boolean(std::string_view key) const;
  const std::vector<std::string>* list(std::string_view key) const;

 private:
  using Value = std::variant<std::monostate, std::int64_t, bool, std::string, std::vector<std::string>>;
  template <class T>
  const T* get(std::string_view key) const {
    const auto found = values_.find(key);
    return found == values_.end() ? nullptr : std::get_if<T>(&found->second);
  }
  std::map<std::string, Value, std::less<>> values_;
};

// A JSON text literal, quotes included.
std::string json_text(std::string_view text);

}  // namespace cairn::repo
