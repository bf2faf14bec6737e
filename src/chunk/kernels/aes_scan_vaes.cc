// Digests in general registers, encrypted 32 at a time with VAES.
#include "chunk/kernels/aes_filter_512.h"
#include "chunk/kernels/aes_scan_groups.h"

namespace cairn::chunk::kernels {
namespace {

class Cipher : public Filter512 {
 public:
  static constexpr std::size_t kGroup = 32;
  using Filter512::Filter512;

  std::uint64_t candidates(const std::uint64_t (&group)[kGroup]) const {
    __m512i digests[kGroup / 8];
#pragma GCC unroll 8
    for (std::size_t i = 0; i < kGroup / 8; ++i) digests[i] = _mm512_loadu_si512(group + 8 * i);
    return Filter512::candidates(digests, [](int) {});
  }
};

}  // namespace

template <class Digest>
std::size_t aes_find_vaes(const AesSecret<Digest>& secret, const std::byte* data, std::size_t size,
                          std::uint64_t mask) {
  return find_in_groups<Digest, Cipher>(secret, data, size, mask);
}

template std::size_t aes_find_vaes(const AesSecret<ToeplitzDigest>&, const std::byte*, std::size_t, std::uint64_t);
template std::size_t aes_find_vaes(const AesSecret<RabinDigest>&, const std::byte*, std::size_t, std::uint64_t);
template std::size_t aes_find_vaes(const AesSecret<GoldilocksDigest>&, const std::byte*, std::size_t, std::uint64_t);

}  // namespace cairn::chunk::kernels
