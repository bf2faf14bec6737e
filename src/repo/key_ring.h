// The keys of a repository: where they are, which of them opens, and with which passphrase.
//
// Source: docs/format (crypto, sections 3.5 and 3.6).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/error.h"
#include "crypt/key_blob.h"
#include "crypt/key_material.h"
#include "crypt/passphrase.h"
#include "store/store.h"

namespace cairn::repo {

struct KeyEntry {
  std::string id;                      // of the key: store hash of its text
  std::string text;                    // as it is stored
  std::optional<crypt::KeyBlob> blob;  // nothing if it cannot be parsed
  std::string problem;                 // why
  bool in_repository = true;
  std::string path;  // of a key file
  std::string place(const std::string& location) const { return in_repository ? location : path; }
};

// All candidates in the order in which a passphrase is tried: key files first, then the repository's. Errors:
// RepoKeyNotFound, KeyfileMismatch, KeyfileInvalid, and those of reading.
Result<std::vector<KeyEntry>> find_keys(store::Store& store, const RepositoryId& id, const std::string& location);

// A key file's or key object's own kind of place.
enum class KeyLocation { Repokey, Keyfile };

struct OpenedKey {
  crypt::UnlockedKey key;
  KeyEntry entry;  // which of them
};

// Passphrases come from the environment's `group`, else the empty one is tried silently, else `prompt` asks.
Result<OpenedKey> unlock_keys(std::vector<KeyEntry> entries, const RepositoryId& id, const std::string& location,
                              crypt::PassphraseGroup group, const crypt::Prompt& prompt);

}  // namespace cairn::repo
