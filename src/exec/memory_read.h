// Reading files as memory-bound work: what the page cache holds is copied, no more.
//
// A slot of the memory gate is held for that copy, but not while a device is waited for: what is not in memory is read
// without one. Where the gate limits nothing this is a plain system call.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "base/bytes.h"

namespace cairn::exec {

// As pread(): perhaps fewer bytes; -1 and errno. `touched`: as the bytes of memory_bound().
ssize_t read_at(int fd, MutableBytes out, std::uint64_t offset, std::size_t touched);

}  // namespace cairn::exec
