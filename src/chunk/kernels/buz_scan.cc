#include "chunk/kernels/buz_scan.h"

#include "cpu/features.h"

namespace cairn::chunk::kernels {

std::span<const BuzScan<std::uint64_t>> buz64_scans() {
  static constexpr BuzScan<std::uint64_t> scans[] = {
#if defined(__x86_64__)
      {"vbmi", static_cast<std::uint32_t>(cpu::Feature::Vbmi), buz_find_vbmi<std::uint64_t>},
#endif
      {"lanes", 0, buz_find_lanes<std::uint64_t>},
      {"scalar", 0, buz_find_scalar<std::uint64_t>},
      {"blockwise", 0, buz_find_blockwise},
#if defined(__x86_64__)
      {"avx512", static_cast<std::uint32_t>(cpu::Feature::Avx512), buz_find_avx512},
      {"avx2", static_cast<std::uint32_t>(cpu::Feature::Avx2), buz_find_avx2},
#elif defined(__aarch64__)
      {"neon", static_cast<std::uint32_t>(cpu::Feature::Neon), buz_find_neon},
#endif
  };
  return scans;
}

std::span<const BuzScan<std::uint32_t>> buz32_scans() {
  static constexpr BuzScan<std::uint32_t> scans[] = {
#if defined(__x86_64__)
      {"vbmi", static_cast<std::uint32_t>(cpu::Feature::Vbmi), buz_find_vbmi<std::uint32_t>},
#endif
      {"lanes", 0, buz_find_lanes<std::uint32_t>},
      {"scalar", 0, buz_find_scalar<std::uint32_t>},
  };
  return scans;
}

}  // namespace cairn::chunk::kernels
