// A msgpack value as Python's json module writes it, for looking at what is stored.
//
// Byte strings become text; those that are not UTF-8, or begin with U+007F, become U+007F and their hexadecimal digits.
// Points in time are nanoseconds. Errors: Integrity, for bytes that are no value.
#pragma once

#include <string>

#include "base/error.h"
#include "msgpack/reader.h"

namespace cairn::cli {

enum class JsonLayout { OneLine, Indented };

// The next value of `reader`. Indented: four blanks for each level, beginning with `level` for what is inside of it.
Status append_msgpack_json(std::string& out, msgpack::Reader& reader, JsonLayout layout, std::size_t level = 0);

}  // namespace cairn::cli
