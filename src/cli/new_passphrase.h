// A passphrase that is to be set: from the environment, or typed twice and shown on request.
// Source: docs/format (crypto, section 3.6; cli, section 7).
#pragma once

#include "cli/context.h"
#include "crypt/secret.h"

namespace cairn::cli {

Result<crypt::Secret> ask_new_passphrase(Context& context);

}  // namespace cairn::cli
