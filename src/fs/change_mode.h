// Changing the mode of what an O_PATH descriptor stands for, whatever has its name by now.
#pragma once

#include <cstdint>
#include <optional>

namespace cairn::fs {

int change_mode(int handle, std::uint32_t mode);  // 0 or errno

// Lets the owner of a directory, if that is us, list, change and enter it. The mode before, if it had to be changed.
std::optional<std::uint32_t> give_owner_access(int handle);

}  // namespace cairn::fs
