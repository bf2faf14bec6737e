#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace cairn {
void check_failed(const char* condition, const char* message, const char* file, int line) {
  std::fprintf(stderr, "cairn: internal error: %s (%s, %s:%d)\n", message, condition, file, line);
  std::abort();
}
}  // namespace cairn
