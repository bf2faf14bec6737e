// Setting what an archive says about one object that was just restored.
#pragma once

#include <string>

#include "fs/target.h"

namespace cairn::fs {

// `fd` is the open object (not O_PATH), or -1: then `name` in `directory`, which is never followed and must be of the
// type that attributes.mode says. As Target::set_attributes otherwise; `path` is for messages.
Result<bool> restore_attributes(int fd, int directory, const std::string& name, const RestoreAttributes& attributes,
                                const std::string& path);

}  // namespace cairn::fs
