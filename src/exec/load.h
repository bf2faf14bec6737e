// What a piece of work mostly waits for: memory, the processor, or a device.
#pragma once

namespace cairn::exec {

enum class Load { Memory, Compute, Io };

}  // namespace cairn::exec
