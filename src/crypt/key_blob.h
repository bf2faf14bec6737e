// Borg keys as text: the key material of a repository, wrapped with a passphrase.
//
// Threads   all functions are pure; unlock() and wrap() run Argon2 (64 MiB, several threads of their own).
// Errors    parse: NotAKeyFile, RepoIdMismatch, KeyfileInvalid, UnsupportedKeyFormat. unlock: PassphraseWrong, and
//           KeyfileInvalid, KeyfileMismatch or UnsupportedKeyFormat for what is inside.
// Source    docs/format/crypto.md, section 3.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/error.h"
#include "crypt/key_maps.h"
#include "crypt/key_material.h"

namespace cairn::crypt {

// The label of a repository's first key; it cannot be given to another one.
inline constexpr std::string_view kAdminLabel = "admin";

struct KeyBlob {
  std::string text;  // the whole, as it is stored
  std::string id;    // store hash of the text, 64 hex digits: the name of the key
  std::string label;
  bool has_label = false;
  std::string algorithm;
  EncryptedKey encrypted;
};

// The store hash of a key's text, in hex.
std::string key_id(std::string_view text);
// Whether the text starts like a key of this repository. That is all that finding keys looks at.
bool names_repository(std::string_view text, const RepositoryId& repository);
// What key import checks: NotAKeyFile, RepoIdMismatch. The body is not looked at.
Status check_key_header(std::string_view text, const RepositoryId& repository);

Result<KeyBlob> parse_key_blob(std::string_view text, const RepositoryId& repository);
// The binary EncryptedKey map inside the text, without parsing it.
Result<Buffer> key_blob_body(std::string_view text, const RepositoryId& repository);
// The text form of a binary EncryptedKey map.
std::string key_blob_text(Bytes body, const RepositoryId& repository);

// A wrong passphrase and damaged data look the same. `threads` 0 means as many as there are processors.
Result<KeyMaterial> unlock(const KeyBlob& blob, std::string_view passphrase, const RepositoryId& repository,
                           unsigned threads = 0);
// A new text with a fresh salt.
Result<std::string> wrap(const KeyMaterial& material, std::string_view passphrase,
                         std::optional<std::string_view> label);

struct Unlocked {
  KeyMaterial material;
  std::size_t index = 0;  // of the candidate that the passphrase fits
};
// Tries all candidates, several at a time; the first in order that fits wins. Candidates that cannot be unlocked for
// another reason are skipped. PassphraseWrong if there is none.
Result<Unlocked> unlock_first(std::span<const KeyBlob> candidates, std::string_view passphrase,
                              const RepositoryId& repository);

}  // namespace cairn::crypt
