#include "base/env.h"

#include <cstdlib>

namespace cairn {

std::optional<std::string> env(const char* name) {
  const char* value =
      std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nothing here changes the environment in threads
  if (value == nullptr) return std::nullopt;
  return std::string(value);
}

std::optional<std::string> env_nonempty(const char* name) {
  auto value = env(name);
  if (value && value->empty()) return std::nullopt;
  return value;
}

}  // namespace cairn
