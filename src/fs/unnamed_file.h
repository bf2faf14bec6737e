// Files without a name for data that does not fit into memory: in TMPDIR (/tmp otherwise), readable by nobody else,
// gone with the program, however that ends. Errors    those of the operating system; Integrity if the file ends before
// what is asked for.
#pragma once

#include <cstdint>

#include "base/buffer.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/fd.h"

namespace cairn::fs {

// Moves all of `buffer` to the end of a file that has `size` bytes; opens it first if it is not open yet.
Status spill(Fd& file, std::uint64_t& size, Buffer& buffer);
// What is there at `offset`, up to all of `out`; at least one byte.
Result<std::size_t> read_some(const Fd& file, std::uint64_t offset, MutableBytes out);

}  // namespace cairn::fs
