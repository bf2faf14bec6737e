// The two msgpack maps of a borg key: EncryptedKey (what is stored) and Key (what is inside, once decrypted).
// Source: docs/format/crypto.md, sections 3.2 and 3.4.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/buffer.h"
#include "base/bytes.h"
#include "base/error.h"
#include "crypt/key_material.h"

namespace cairn::crypt {

inline constexpr std::string_view kKeyAlgorithm = "argon2 chacha20-poly1305";

enum class Argon2Type { D, I, Id };

// Costs as they are stored. parse_encrypted_key accepts only bounded ones.
struct Argon2Costs {
  Argon2Type type = Argon2Type::Id;
  std::uint32_t time = 3;
  std::uint32_t memory_kib = 65536;
  std::uint32_t lanes = 4;
};

struct EncryptedKey {
  std::string algorithm{kKeyAlgorithm};
  Argon2Costs costs;
  std::vector<std::byte> salt;
  std::vector<std::byte> data;  // tag(16) || ciphertext
  std::optional<std::string> label;
};

// Errors    UnsupportedKeyFormat for another version or algorithm, KeyfileInvalid for anything else.
Result<EncryptedKey> parse_encrypted_key(Bytes map);
void write_encrypted_key(const EncryptedKey& key, Buffer& out);

// Errors    UnsupportedKeyFormat, KeyfileInvalid; KeyfileMismatch if the key inside belongs to another repository.
Result<KeyMaterial> parse_key(Bytes map, const RepositoryId& repository);
// The caller wipes `out`.
void write_key(const KeyMaterial& material, Buffer& out);

}  // namespace cairn::crypt
