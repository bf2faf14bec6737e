// libargon2 behind passphrase_key.
#include "crypt/key_derivation.h"

#include <argon2.h>

#include <algorithm>

#include "base/env.h"

namespace cairn::crypt {

namespace {

argon2_type library_type(Argon2Type type) {
  return type == Argon2Type::Id ? Argon2_id : type == Argon2Type::I ? Argon2_i : Argon2_d;
}

// The library takes pointers to non-const, but writes through neither without the flags that ask for it.
std::uint8_t* input(const void* bytes) { return static_cast<std::uint8_t*>(const_cast<void*>(bytes)); }  // NOLINT

}  // namespace

Result<hash::Key256> passphrase_key(std::string_view passphrase, Bytes salt, const Argon2Costs& costs,
                                    unsigned threads) {
  const bool weak = env("BORG_TESTONLY_WEAKEN_KDF") == "1";
  hash::Key256 key{};
  argon2_context context{};
  context.out = reinterpret_cast<std::uint8_t*>(key.data());  // NOLINT
  context.outlen = static_cast<std::uint32_t>(key.size());
  context.pwd = input(passphrase.data());
  context.pwdlen = static_cast<std::uint32_t>(passphrase.size());
  context.salt = input(salt.data());
  context.saltlen = static_cast<std::uint32_t>(salt.size());
  context.t_cost = weak ? 1 : costs.time;
  context.m_cost = weak ? 8 : costs.memory_kib;
  context.lanes = weak ? 1 : costs.lanes;
  context.threads = std::clamp(threads, 1U, context.lanes);
  context.version = ARGON2_VERSION_13;
  const int outcome = argon2_ctx(&context, library_type(costs.type));
  if (outcome != ARGON2_OK) return fail(Code::Error, std::string("Argon2 failed: ") + argon2_error_message(outcome));
  return key;
}

}  // namespace cairn::crypt
