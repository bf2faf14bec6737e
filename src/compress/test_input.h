// The inputs that tests/data/vectors/compression.json names: "text(400)", "noise(300,1)", "pattern(0)".
#pragma once

#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>

namespace cairn::compress::test_input {

inline std::string text(std::size_t size) {
  std::string out;
  for (std::size_t line = 0; out.size() < size; ++line) out += "line " + std::to_string(line) + " of cairn test text\n";
  out.resize(size);
  return out;
}

inline std::string noise(std::size_t size, std::uint64_t seed) {
  std::string out(size, '\0');
  for (char& byte : out) {
    seed = seed * 6364136223846793005U + 1442695040888963407U;
    byte = static_cast<char>(seed >> 56);
  }
  return out;
}

inline std::string pattern(std::size_t size) {
  std::string out(size, '\0');
  for (std::size_t i = 0; i < size; ++i) out[i] = static_cast<char>((i * 167 + i / 256 * 13 + 7) & 0xff);
  return out;
}

inline std::string named(const std::string& name) {
  unsigned long long size = 0;
  unsigned long long seed = 0;
  if (std::sscanf(name.c_str(), "text(%llu)", &size) == 1) return text(size);
  if (std::sscanf(name.c_str(), "noise(%llu,%llu)", &size, &seed) == 2) return noise(size, seed);
  if (std::sscanf(name.c_str(), "pattern(%llu)", &size) == 1) return pattern(size);
  throw std::invalid_argument(name);
}

}  // namespace cairn::compress::test_input
