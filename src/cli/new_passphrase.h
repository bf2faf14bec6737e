// A passphrase that is to be set: from the environment, or typed twice and shown on request.
// Source: docs/format (crypto, section 3.6; cli, section 7).
#pragma once

#include "cli/context.h"
#include "crypt/secret.h"

namespace cairn::cli {

Result<crypt::Secret> ask_new_passphrase(Context& context);
// For a change: where the environment gives none but the one that opened the repository (the last resort for a new
// one), a person is asked, and a script is warned with exit code 1.
Result<crypt::Secret> ask_changed_passphrase(Context& context);

}  // namespace cairn::cli
