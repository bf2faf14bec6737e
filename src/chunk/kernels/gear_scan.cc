#include "chunk/kernels/gear_scan.h"

namespace cairn::chunk::kernels {

std::span<const GearScan> gear_scans() {
  static constexpr GearScan scans[] = {
      {"scalar", 0, gear_find_scalar},
  };
  return scans;
}

}  // namespace cairn::chunk::kernels
