// Padding rules and their random numbers. The numbers are strong, because padding is meant to resist analysis.
#include "compress/obfuscate.h"

#include <unistd.h>

#include <algorithm>
#include <bit>

#include "base/bytes.h"
#include "base/check.h"
#include "compress/compressor.h"

namespace cairn::compress {
namespace {

// Room for the object's metadata below the largest object, as Borg leaves it.
constexpr std::uint64_t kLargestPayload = kMaxPlain - 1024;

// Keeps the first few of the size's bits and rounds the others up: leaks O(log log size) bits, costs at most 12 %.
// (Nikitin et al., "Reducing Metadata Leakage from Encrypted Files and Communication with PURBs", 2019.)
std::uint64_t padme(std::uint64_t size) {
  if (size < 2) return 0;
  const int exponent = static_cast<int>(std::bit_width(size)) - 1;
  const int kept = static_cast<int>(std::bit_width(static_cast<unsigned>(exponent)));
  const std::uint64_t mask = (std::uint64_t{1} << (exponent - kept)) - 1;
  return ((size + mask) & ~mask) - size;
}

std::uint64_t unlimited_padding(int level, std::uint64_t size, double random) {
  constexpr double kFactors[] = {0.001 * 10, 0.001 * 100, 0.001 * 1000, 0.001 * 10000, 0.001 * 100000, 0.001 * 1000000};
  if (level == 250) return padme(size);
  if (level >= 1 && level <= 6) {
    return static_cast<std::uint64_t>(static_cast<double>(size) * kFactors[level - 1] / std::max(0.0001, random));
  }
  CAIRN_CHECK(level >= 110 && level <= 123, "no obfuscation level");
  return static_cast<std::uint64_t>(static_cast<double>(std::uint64_t{1} << (level - 100)) * random);
}

}  // namespace

std::uint64_t padding(int level, std::uint64_t size, double random) {
  if (size >= kLargestPayload) return 0;
  return std::min(unlimited_padding(level, size, random), kLargestPayload - size);
}

double PaddingRandom::next() {
  if (used_ == pool_.size()) {
    CAIRN_CHECK(::getentropy(pool_.data(), pool_.size()) == 0, "the system gives no random bytes");
    used_ = 0;
  }
  const auto bits = load_le<std::uint64_t>(pool_.data() + used_);
  used_ += sizeof bits;
  return static_cast<double>(bits >> 11) * 0x1p-53;
}

}  // namespace cairn::compress
