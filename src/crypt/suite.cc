// The table of suites: docs/format/crypto.md, section 1.
#include "crypt/suite.h"

#include <array>

namespace cairn::crypt {

namespace {

struct Row {
  Suite suite;
  std::string_view encryption;
  std::string_view id_hash;
};

constexpr std::array kRows{
    Row{{0x10, Cipher::Aes256Ocb, hash::IdHashKind::Sha256}, "aes256-ocb", "sha256"},
    Row{{0x20, Cipher::ChaCha20Poly1305, hash::IdHashKind::Sha256}, "chacha20-poly1305", "sha256"},
    Row{{0x30, Cipher::Aes256Ocb, hash::IdHashKind::Blake3}, "aes256-ocb", "blake3"},
    Row{{0x40, Cipher::ChaCha20Poly1305, hash::IdHashKind::Blake3}, "chacha20-poly1305", "blake3"},
    Row{{0x50, Cipher::Authenticated, hash::IdHashKind::Sha256}, "authenticated-sha256", "sha256"},
    Row{{0x60, Cipher::Authenticated, hash::IdHashKind::Blake3}, "authenticated-blake3", "blake3"},
};

}  // namespace

std::string_view Suite::encryption() const {
  for (const Row& row : kRows)
    if (row.suite.cipher == cipher && row.suite.id_hash == id_hash) return row.encryption;
  return {};
}

std::string_view Suite::id_hash_name() const { return id_hash == hash::IdHashKind::Sha256 ? "sha256" : "blake3"; }

std::optional<Suite> find_suite(std::string_view encryption, std::string_view id_hash) {
  for (const Row& row : kRows)
    if (row.encryption == encryption && row.id_hash == id_hash) return row.suite;
  return std::nullopt;
}

}  // namespace cairn::crypt
