// The substitution of AES and its inverse, computed when this is compiled: inversion in GF(2^8), then an affine map.
// Source: FIPS 197, section 5.1.1.
#pragma once

#include <cstdint>

namespace cairn::chunk::kernels {
namespace {

constexpr std::uint8_t times_x(std::uint8_t a) {
  const unsigned doubled = unsigned{a} << 1U;
  return static_cast<std::uint8_t>(doubled ^ ((a & 0x80U) != 0 ? 0x1bU : 0U));
}

struct Sbox {
  std::uint8_t forward[256];
  std::uint8_t inverse[256];
};

constexpr Sbox make_sbox() {
  Sbox box{};
  const auto turn = [](std::uint8_t a, unsigned by) {
    return static_cast<std::uint8_t>((unsigned{a} << by) | (unsigned{a} >> (8 - by)));
  };
  // 3 generates the multiplicative group, so `power` visits every number but 0, and `inverse` its inverse: dividing by
  // 3 is multiplying by 3^254 = 0xf6.
  std::uint8_t power = 1;
  std::uint8_t inverse = 1;
  do {
    power = static_cast<std::uint8_t>(power ^ times_x(power));
    const std::uint8_t a = inverse;
    std::uint8_t product = 0;
    std::uint8_t term = a;
    for (unsigned bits = 0xf6; bits != 0; bits >>= 1U) {
      if ((bits & 1U) != 0) product = static_cast<std::uint8_t>(product ^ term);
      term = times_x(term);
    }
    inverse = product;
    box.forward[power] = static_cast<std::uint8_t>(inverse ^ turn(inverse, 1) ^ turn(inverse, 2) ^ turn(inverse, 3) ^
                                                   turn(inverse, 4) ^ 0x63U);
  } while (power != 1);
  box.forward[0] = 0x63;
  for (unsigned i = 0; i < 256; ++i) box.inverse[box.forward[i]] = static_cast<std::uint8_t>(i);
  return box;
}

constexpr Sbox kSbox = make_sbox();
static_assert(kSbox.forward[1] == 0x7c && kSbox.forward[0x53] == 0xed && kSbox.inverse[0x16] == 0xff);

}  // namespace
}  // namespace cairn::chunk::kernels
