#include "chunk/aes_key_schedule.h"

#include "chunk/kernels/aes_sbox.h"

namespace cairn::chunk {

void expand_aes_key(const AesKey& key, std::uint8_t (&round_keys)[11][16]) {
  std::memcpy(round_keys[0], key.data(), key.size());
  std::uint8_t constant = 1;
  for (int round = 1; round < 11; ++round) {
    const std::uint8_t* const last = round_keys[round - 1];
    std::uint8_t* const next = round_keys[round];
    for (int i = 0; i < 4; ++i) next[i] = last[i] ^ kernels::kSbox.forward[last[12 + (i + 1) % 4]];
    next[0] ^= constant;
    for (int i = 4; i < 16; ++i) next[i] = last[i] ^ next[i - 4];
    constant = kernels::times_x(constant);
  }
}

}  // namespace cairn::chunk
