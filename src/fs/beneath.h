// Opening a directory below another one without following any symbolic link on the way, whoever changes the tree
// meanwhile.
//
// One openat2 where the kernel has it, else one openat per component. Either way the kernel itself refuses links at the
// moment of use; nothing is checked first and used later.
#pragma once

#include <string_view>

#include "base/fd.h"

namespace cairn::fs {

// `path` has no empty, "." or ".." components and any length; empty is `base` itself. With `create`, what is missing is
// made with the default mode. The result is an O_PATH descriptor, or none with errno set: ELOOP or ENOTDIR if a
// component is no directory.
Fd open_beneath(int base, std::string_view path, bool create);

}  // namespace cairn::fs
