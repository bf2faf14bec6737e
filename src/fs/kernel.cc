#include "fs/kernel.h"

#include <sys/vfs.h>

namespace cairn::fs {
namespace {

constexpr long kProcMagic = 0x9fa0;

bool proc_is_mounted() {
  struct statfs facts{};
  return ::statfs("/proc/self/fd", &facts) == 0 && static_cast<long>(facts.f_type) == kProcMagic;
}

}  // namespace

Kernel& kernel() {
  static Kernel instance{.proc = proc_is_mounted()};
  return instance;
}

}  // namespace cairn::fs
