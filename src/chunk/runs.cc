#include "chunk/runs.h"

#include <cstdint>
#include <cstring>

#include "chunk/cutter.h"

namespace cairn::chunk {
namespace {

constexpr std::size_t kStep = 64;

std::uint64_t word(const std::byte* data) {
  std::uint64_t value;
  std::memcpy(&value, data, sizeof value);
  return value;
}

// Whether the 64 bytes at `data` all consist of `pattern`. The compiler makes vectors of it.
bool all_equal(const std::byte* data, std::uint64_t pattern) {
  std::uint64_t difference = 0;
  for (std::size_t i = 0; i < kStep; i += 8) difference |= word(data + i) ^ pattern;
  return difference == 0;
}

}  // namespace

std::size_t run_length(const std::byte* data, std::size_t size) {
  if (size < kStep || data[0] != data[1]) return 0;
  const std::uint64_t pattern = static_cast<std::uint64_t>(data[0]) * 0x0101010101010101U;
  if (word(data) != pattern || !all_equal(data, pattern)) return 0;
  std::size_t length = kStep;
  while (length + kStep <= size && all_equal(data + length, pattern)) length += kStep;
  while (length < size && data[length] == data[0]) ++length;
  return length;
}

bool is_zero(Bytes bytes) {
  if (bytes.empty()) return true;
  const std::byte* const data = bytes.data();
  const std::size_t size = bytes.size();
  // Files that start with zeros often end or go on with something else: look there before reading it all.
  if ((data[0] | data[size / 2] | data[size - 1]) != std::byte{0}) return false;
  std::size_t at = 0;
  while (at + kStep <= size) {
    if (!all_equal(data + at, 0)) return false;
    at += kStep;
  }
  for (; at < size; ++at) {
    if (data[at] != std::byte{0}) return false;
  }
  return true;
}

}  // namespace cairn::chunk
