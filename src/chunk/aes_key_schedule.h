// The round keys of AES-128. OpenSSL has them too, but keeps them to itself; kernels that drive the CPU's AES
// instructions need them. Uses a table, so it is for keys that are set up now and then, not for data.
// Source: FIPS 197, sections 4.2, 5.1.1 and 5.2.
#pragma once

#include <array>
#include <cstdint>

#include "base/bytes.h"

namespace cairn::chunk {

using AesKey = std::array<std::byte, 16>;
void expand_aes_key(const AesKey& key, std::uint8_t (&round_keys)[11][16]);

}  // namespace cairn::chunk
