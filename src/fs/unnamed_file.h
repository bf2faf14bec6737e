// Files without a name for data that does not fit into memory: in TMPDIR (/tmp otherwise), readable by nobody else,
// gone with the program, however that ends. Errors    those of the operating system; Integrity if the file ends before
// what is asked for.
#pragma once

#include <cstdint>

#include "base/bytes.h"
#include "base/error.h"
#include "base/fd.h"

namespace cairn::fs {

Result<Fd> open_unnamed_file();

Status write_whole(const Fd& file, std::uint64_t offset, Bytes bytes);
// What is there at `offset`, up to all of `out`; at least one byte.
Result<std::size_t> read_some(const Fd& file, std::uint64_t offset, MutableBytes out);

}  // namespace cairn::fs
