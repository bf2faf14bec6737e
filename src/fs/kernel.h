// Which of the newer system calls the running kernel offers: every one has a fallback, and what is missing is asked for
// only once. Tests switch calls off to walk the fallbacks.
#pragma once

#include <atomic>

namespace cairn::fs {

struct Kernel {
  std::atomic<bool> statx{true};      // 4.11; reports the file flags along with the rest
  std::atomic<bool> openat2{true};    // 5.6; a whole path without symbolic links in one call
  std::atomic<bool> fchmodat2{true};  // 6.6; chmod without following
  std::atomic<bool> xattrat{true};    // 6.13; extended attributes relative to a directory
  std::atomic<bool> proc{true};       // /proc/self/fd is there, and is the real one
};
Kernel& kernel();

// Numbers that the C library of older systems does not know yet; the same on every architecture that we build for.
constexpr long kSetxattrat = 463, kGetxattrat = 464, kListxattrat = 465, kRemovexattrat = 466, kFchmodat2 = 452;

}  // namespace cairn::fs
