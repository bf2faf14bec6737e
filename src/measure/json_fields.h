// Members of JSON objects that come from files: of the right kind and within limits, or not there. Not for other rooms.
#pragma once

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace cairn::measure {

constexpr std::size_t kMostText = 4096;
constexpr std::size_t kMostElements = 10'000;

inline const nlohmann::json* member(const nlohmann::json& object, const char* key) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(key);
  return found == object.end() ? nullptr : &*found;
}

inline std::optional<std::string> text_member(const nlohmann::json& object, const char* key) {
  const nlohmann::json* const value = member(object, key);
  if (value == nullptr || !value->is_string()) return std::nullopt;
  const auto& text = value->get_ref<const std::string&>();
  if (text.size() > kMostText) return std::nullopt;
  return text;
}

// 0 to `most`.
inline std::optional<std::uint64_t> count_member(const nlohmann::json& object, const char* key, std::uint64_t most) {
  const nlohmann::json* const value = member(object, key);
  if (value == nullptr || !value->is_number_unsigned()) return std::nullopt;
  const auto number = value->get<std::uint64_t>();
  if (number > most) return std::nullopt;
  return number;
}

// Rates, ratios, seconds: not negative and within reason.
inline std::optional<double> amount(const nlohmann::json& value) {
  if (!value.is_number()) return std::nullopt;
  const auto number = value.get<double>();
  if (!std::isfinite(number) || number < 0 || number > 1e18) return std::nullopt;
  return number;
}
inline std::optional<double> amount_member(const nlohmann::json& object, const char* key) {
  const nlohmann::json* const value = member(object, key);
  return value == nullptr ? std::nullopt : amount(*value);
}

inline std::optional<bool> bool_member(const nlohmann::json& object, const char* key) {
  const nlohmann::json* const value = member(object, key);
  if (value == nullptr || !value->is_boolean()) return std::nullopt;
  return value->get<bool>();
}

inline const nlohmann::json* list_member(const nlohmann::json& object, const char* key) {
  const nlohmann::json* const value = member(object, key);
  return value == nullptr || !value->is_array() || value->size() > kMostElements ? nullptr : value;
}

}  // namespace cairn::measure
