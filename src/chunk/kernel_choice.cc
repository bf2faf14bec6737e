#include "chunk/kernel_choice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "base/env.h"

namespace cairn::chunk {
namespace {

// Borg's names come first in messages, in Borg's order.
constexpr std::array<std::string_view, 5> kOrder = {"avx512", "avx2", "neon", "blockwise", "scalar"};

}  // namespace

std::string kernel_demand(const char* variable) {
  std::string value = env(variable).value_or("");
  constexpr const char* blanks = " \t\n\v\f\r";
  value.erase(0, std::min(value.find_first_not_of(blanks), value.size()));
  value.erase(value.find_last_not_of(blanks) + 1);
  std::ranges::transform(value, value.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return value;
}

Error kernel_refused(const char* variable, std::string_view value, std::string_view reason,
                     std::vector<std::string_view> names) {
  std::vector<std::string_view> ordered;
  for (const std::string_view known : kOrder) {
    if (std::erase(names, known) > 0) ordered.push_back(known);
  }
  ordered.insert(ordered.end(), names.begin(), names.end());
  return Error(Code::Usage,
               fmt::format("{}='{}': {}. Valid values: {}", variable, value, reason, fmt::join(ordered, ", ")));
}

}  // namespace cairn::chunk
