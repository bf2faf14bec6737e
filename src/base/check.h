// CAIRN_CHECK(condition, "what is wrong"): a bug stops the program, in release builds too.
// For what a user, a disk or a network can cause, return an Error instead (base/error.h).
#pragma once

namespace cairn {
[[noreturn]] void check_failed(const char* condition, const char* message, const char* file, int line);
}

#define CAIRN_CHECK(condition, message)                               \
  do {                                                                \
    if (!(condition)) [[unlikely]]                                    \
      ::cairn::check_failed(#condition, message, __FILE__, __LINE__); \
  } while (false)
