// Files of the program's own that are read as one piece and replaced as one piece: keys, caches, records.
//
// Errors    those of the operating system, naming the file.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/bytes.h"
#include "base/error.h"
#include "base/fd.h"

namespace cairn {

// The rest of an open file, and no more than `most` bytes of it. `path` is for messages.
Result<std::string> read_up_to(const Fd& file, std::size_t most, const std::string& path);

// Whether the bytes are on the disk before the name is.
enum class Synced : std::uint8_t { No, Yes };

// Writes the parts one after another into a new file beside `path`, for the owner alone, and renames it: whoever looks
// sees the old file or the complete new one. Nothing is left behind after an error.
Status replace_file(const std::string& path, std::span<const Bytes> parts, Synced synced);
Status replace_file(const std::string& path, std::string_view text, Synced synced);

}  // namespace cairn
