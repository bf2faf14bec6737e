// Runs of equal bytes, at memory speed.
#pragma once

#include <cstddef>

namespace cairn::chunk {

// How many of the `size` bytes at `data`, from the first on, equal the first; only exact if it is at least 64, else
// any number below 64 (most calls end after one comparison). size > 0.
std::size_t run_length(const std::byte* data, std::size_t size);

}  // namespace cairn::chunk
