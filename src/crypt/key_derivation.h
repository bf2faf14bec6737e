// From a passphrase to the key that encrypts a borg key: Argon2, version 0x13.
//
// Cost      64 MiB and about 0.1 s with the nominal costs. BORG_TESTONLY_WEAKEN_KDF=1 computes with the least possible
//           costs instead of the given ones.
// Source    docs/format/crypto.md, section 3.3.
#pragma once

#include <string_view>

#include "base/bytes.h"
#include "base/error.h"
#include "crypt/key_maps.h"
#include "hash/blake3.h"

namespace cairn::crypt {

// `threads` bounds the threads that work on the lanes; the result does not depend on it. The caller wipes the key.
// Errors    Error: out of memory, or parameters that Argon2 refuses.
Result<hash::Key256> passphrase_key(std::string_view passphrase, Bytes salt, const Argon2Costs& costs,
                                    unsigned threads);

}  // namespace cairn::crypt
