#include "chunk/kernels/aes_scan.h"

#include "cpu/features.h"

namespace cairn::chunk::kernels {

template <class Digest>
std::span<const AesScan<Digest>> aes_scans() {
  static constexpr AesScan<Digest> scans[] = {
      {"evp", 0, aes_find_evp<Digest>},
  };
  return scans;
}

template std::span<const AesScan<ToeplitzDigest>> aes_scans();
template std::span<const AesScan<RabinDigest>> aes_scans();
template std::span<const AesScan<GoldilocksDigest>> aes_scans();

}  // namespace cairn::chunk::kernels
