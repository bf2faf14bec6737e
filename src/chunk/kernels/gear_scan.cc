#include "chunk/kernels/gear_scan.h"

#include "cpu/features.h"

namespace cairn::chunk::kernels {

std::span<const GearScan> gear_scans() {
  static constexpr GearScan scans[] = {
#if defined(__x86_64__)
      {"vbmi", static_cast<std::uint32_t>(cpu::Feature::Vbmi), gear_find_vbmi},
#endif
      {"lanes", 0, gear_find_lanes},
      {"scalar", 0, gear_find_scalar},
      {"blockwise", 0, gear_find_blockwise},
#if defined(__x86_64__)
      {"avx512", static_cast<std::uint32_t>(cpu::Feature::Avx512), gear_find_avx512},
      {"avx2", static_cast<std::uint32_t>(cpu::Feature::Avx2), gear_find_avx2},
#elif defined(__aarch64__)
      {"neon", static_cast<std::uint32_t>(cpu::Feature::Neon), gear_find_neon},
#endif
  };
  return scans;
}

}  // namespace cairn::chunk::kernels
