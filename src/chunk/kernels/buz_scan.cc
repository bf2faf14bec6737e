#include "chunk/kernels/buz_scan.h"

namespace cairn::chunk::kernels {

std::span<const BuzScan<std::uint64_t>> buz64_scans() {
  static constexpr BuzScan<std::uint64_t> scans[] = {
      {"scalar", 0, buz_find_scalar<std::uint64_t>},
  };
  return scans;
}

std::span<const BuzScan<std::uint32_t>> buz32_scans() {
  static constexpr BuzScan<std::uint32_t> scans[] = {
      {"scalar", 0, buz_find_scalar<std::uint32_t>},
  };
  return scans;
}

}  // namespace cairn::chunk::kernels
