// The client's memory of repositories: where each was and which suite it used. It is what notices a swapped repository.
//
// Files     <security dir>/<repository id>/location and key-type, shared with Borg.
// Errors    CacheInitAborted, RepositoryAccessAborted, EncryptionMethodMismatch; OS errors of the directory.
// Source    docs/format (crypto, section 10).
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/bytes.h"
#include "base/error.h"
#include "crypt/suite.h"

namespace cairn::repo {

// A yes-or-no question to the user. `variable` may answer it from the environment and is its message id.
struct Question {
  std::string variable;
  std::string text;
};
using Confirm = std::function<bool(const Question&)>;

std::string security_path(const RepositoryId& id);

struct SecurityRecord {
  std::string location;
  int key_type = 0;
};
// Nothing if the repository is unknown (one of the files is missing or unreadable as such).
std::optional<SecurityRecord> load_security_record(const RepositoryId& id);
Status remember(const RepositoryId& id, const SecurityRecord& record);
Status forget(const RepositoryId& id);

// The checks after the key is unlocked. `unencrypted_reason` is empty if the data is encrypted, else the sentence that
// says why it is not.
Status check_security(const RepositoryId& id, const SecurityRecord& now, const std::string& unencrypted_reason,
                      const Confirm& confirm);

}  // namespace cairn::repo
