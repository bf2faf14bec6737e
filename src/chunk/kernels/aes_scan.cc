#include "chunk/kernels/aes_scan.h"

#include "cpu/features.h"

namespace cairn::chunk::kernels {

template <class Digest>
std::span<const AesScan<Digest>> aes_scans() {
  static constexpr AesScan<Digest> scans[] = {
#if defined(__x86_64__)
      {"lanes", cpu::Feature::Vaes | cpu::Feature::Gfni | cpu::Feature::Vbmi | cpu::Feature::Ifma,
       aes_find_lanes<Digest>},
      {"vaes", static_cast<std::uint32_t>(cpu::Feature::Vaes), aes_find_vaes<Digest>},
      {"aes-ni", static_cast<std::uint32_t>(cpu::Feature::AesNi), aes_find_aesni<Digest>},
#elif defined(__aarch64__)
      {"aes-arm64", static_cast<std::uint32_t>(cpu::Feature::ArmAes), aes_find_arm64<Digest>},
#endif
      {"evp", 0, aes_find_evp<Digest>},
  };
  return scans;
}

template std::span<const AesScan<ToeplitzDigest>> aes_scans();
template std::span<const AesScan<RabinDigest>> aes_scans();
template std::span<const AesScan<GoldilocksDigest>> aes_scans();

}  // namespace cairn::chunk::kernels
