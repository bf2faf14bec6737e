// A profile of Borg as Python's own tools read it: msgpack turned into Python's marshal format.
//
// Lists become tuples, so that the keys of the profile (file, line, function) can be keys again.
// Errors    Integrity: not exactly one msgpack value, or one that has no marshal form.
// Source    marshal version 2, as described in the comments of CPython's Python/marshal.c.
#pragma once

#include <string>

#include "base/bytes.h"
#include "base/error.h"

namespace cairn::ops {

Result<std::string> marshal_of_msgpack(Bytes profile);

}  // namespace cairn::ops
