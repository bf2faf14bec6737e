// How much padding hides a chunk's compressed size. Source: docs/format/compression.md section 4.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace cairn::compress {

// Padding in bytes for `size` bytes of compressed data at an obfuscation level (1..6, 110..123, 250); `random` is
// uniform in [0, 1). The result never makes the payload larger than a stored object may be.
std::uint64_t padding(int level, std::uint64_t size, double random);

// Uniform numbers in [0, 1) straight from the system's strong generator, a few dozen per call of it.
class PaddingRandom {
 public:
  double next();

 private:
  std::array<std::byte, 256> pool_{};
  std::size_t used_ = 256;
};

}  // namespace cairn::compress
