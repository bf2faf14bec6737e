// The six encryption suites of a Borg 2 repository and their fixed facts.
// Source: docs/format (crypto, section 1).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/error.h"
#include "hash/id_hash.h"

namespace cairn::crypt {

enum class Cipher { Aes256Ocb, ChaCha20Poly1305, Authenticated };

struct Suite {
  std::uint8_t type_byte = 0;  // first byte of every envelope
  Cipher cipher = Cipher::Aes256Ocb;
  hash::IdHashKind id_hash = hash::IdHashKind::Sha256;

  std::string_view encryption() const;  // "aes256-ocb", "authenticated-sha256" ...
  std::string_view id_hash_name() const;
  std::size_t overhead() const { return cipher == Cipher::Authenticated ? 34 : 48; }
  bool encrypts() const { return cipher != Cipher::Authenticated; }
  friend bool operator==(const Suite&, const Suite&) = default;
};

// By the names in config/config. Unknown pairs: nothing.
std::optional<Suite> find_suite(std::string_view encryption, std::string_view id_hash);

}  // namespace cairn::crypt
