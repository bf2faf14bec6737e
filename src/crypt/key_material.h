// The secrets of one repository. Kept in memory that is wiped on destruction; never copied by accident, never logged.
// Source: docs/format (crypto, section 2).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/bytes.h"
#include "hash/blake3.h"

namespace cairn::crypt {

// Overwrites in a way that the compiler keeps.
void wipe(MutableBytes bytes);
// Asks the system not to swap these bytes out; does nothing where that is not allowed.
void keep_out_of_swap(Bytes bytes);

struct KeyMaterial {
  std::array<std::byte, 64> crypt_key{};
  hash::Key256 id_key{};
  std::int32_t chunk_seed = 0;
  RepositoryId repository_id;

  KeyMaterial();
  KeyMaterial(const KeyMaterial&) = delete;
  KeyMaterial& operator=(const KeyMaterial&) = delete;
  KeyMaterial(KeyMaterial&&) noexcept;  // wipes the source
  KeyMaterial& operator=(KeyMaterial&&) noexcept;
  ~KeyMaterial();
  KeyMaterial duplicate() const;  // a copy that is meant
};

KeyMaterial make_key_material(const RepositoryId& repository_id);
void random_bytes(MutableBytes out);  // system generator; failure stops the program

// SHA-256(from || salt || domain)
hash::Key256 derive_key(Bytes from, Bytes salt, std::string_view domain);

}  // namespace cairn::crypt
