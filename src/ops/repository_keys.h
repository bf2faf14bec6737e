// The keys of a repository as their owner manages them. All of them wrap the same secrets, so no data is touched.
//
// Order     a new key is durable before an old one goes.
// Errors    Error in Borg's words for what cannot be done; those of the store and of key files.
// Source    docs/format (crypto, section 3.7).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "crypt/secret.h"
#include "repo/key_ring.h"
#include "repo/repository.h"

namespace cairn::ops {

struct KeySelector {
  std::optional<std::string> label{};
  std::optional<std::string> id{};  // or the start of it
  bool current = false;             // the key that opened the repository
};

// "The selector needs to match precisely 1 key, but it matched 2 keys." `current_id` is for selectors that ask for it.
Result<std::size_t> select_key(const std::vector<repo::KeyEntry>& entries, const KeySelector& selector,
                               std::string_view current_id = {});

// Whether add_key() will take this label; to be asked before a passphrase is.
Status check_new_label(repo::Repository& repository, const std::string& label);
// Wraps the secrets once more, stored like the current key. Returns the place, for messages.
Result<std::string> add_key(repo::Repository& repository, const std::string& label, const crypt::Secret& passphrase);
// Removes one of several keys, never the one labelled admin. Returns what was removed.
Result<repo::KeyEntry> remove_key(repo::Repository& repository, const KeySelector& selector);
// The current key under a new passphrase. Returns its place.
Result<std::string> change_passphrase(repo::Repository& repository, const crypt::Secret& passphrase);
// The current key in another kind of place, under the same passphrase. The exclusive lock must be held; `wanted` must
// differ from where the key is. Returns the new place.
Result<std::string> change_key_location(repo::Repository& repository, repo::KeyLocation wanted, bool keep_old);

// Stores a key's text as it is; only its first line is checked. NotAKeyFile, RepoIdMismatch.
Status import_key(store::Store& store, const RepositoryId& id, const std::string& location, std::string_view text,
                  repo::KeyLocation wanted);

}  // namespace cairn::ops
