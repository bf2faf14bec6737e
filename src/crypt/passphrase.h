// Where passphrases come from, and how often they are asked for.
//
// Each group of variables (PASSPHRASE, PASSCOMMAND, PASSPHRASE_FD with its prefix) may have one of the three set.
// Prompting needs a terminal and is the caller's: it passes a function.
// Errors    Error (more than one variable set), PasscommandFailure, PassphraseWrong, PasswordRetriesExceeded and
//           whatever the prompt function returns (NoPassphrase without a terminal).
// Source    docs/format/crypto.md, section 3.6.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"
#include "crypt/key_blob.h"
#include "crypt/secret.h"

namespace cairn::crypt {

enum class PassphraseGroup { Repository, Other, New };  // BORG_, BORG_OTHER_, BORG_NEW_

// Nothing if no variable of the group is set. Runs the passcommand or reads the descriptor to its end and closes it.
Result<std::optional<Secret>> environment_passphrase(PassphraseGroup group);
// For a passphrase to be set: BORG_NEW_, else BORG_.
Result<std::optional<Secret>> environment_new_passphrase();

using Prompt = std::function<Result<Secret>(std::string_view prompt)>;
using Say = std::function<void(std::string_view line)>;

struct UnlockedKey {
  KeyMaterial material;
  std::size_t index = 0;          // of the candidate
  bool empty_passphrase = false;  // with a key in the repository, this counts as not encrypted
  Secret passphrase;              // for wrapping the key again elsewhere
};
// Tries the group's passphrase once, or else the empty one and then up to three prompts. `location` names the key in
// the prompt. `wrong` hears of every passphrase that did not fit (for BORG_DEBUG_PASSPHRASE); may be empty.
Result<UnlockedKey> unlock_with_passphrase(std::span<const KeyBlob> candidates, const RepositoryId& repository,
                                           PassphraseGroup group, const std::string& location, const Prompt& prompt,
                                           const std::function<void(const Secret&)>& wrong = {});

struct NewPassphrase {
  Secret passphrase;
  bool was_typed = false;  // then the caller offers to display it
};
// From the environment, or typed twice, at most ten times. `say` tells that the two differ.
Result<NewPassphrase> choose_passphrase(const Prompt& prompt, const Say& say);
// The typing alone.
Result<Secret> type_new_passphrase(const Prompt& prompt, const Say& say);

}  // namespace cairn::crypt
