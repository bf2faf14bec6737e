// libargon2 behind passphrase_key.
#include "crypt/key_derivation.h"

#include <argon2.h>
#include <sys/mman.h>

#include <algorithm>

#include "base/env.h"

namespace cairn::crypt {

namespace {

argon2_type library_type(Argon2Type type) {
  return type == Argon2Type::Id ? Argon2_id : type == Argon2Type::I ? Argon2_i : Argon2_d;
}

// The library takes pointers to non-const, but writes through neither without the flags that ask for it.
std::uint8_t* input(const void* bytes) { return static_cast<std::uint8_t*>(const_cast<void*>(bytes)); }  // NOLINT

// Argon2's 64 MiB are touched for one key and thrown away: on huge pages that takes 32 page faults instead of 16,000.
int allocate(std::uint8_t** memory, std::size_t size) {
  void* mapped = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return ARGON2_MEMORY_ALLOCATION_ERROR;
  (void)::madvise(mapped, size, MADV_HUGEPAGE);
  *memory = static_cast<std::uint8_t*>(mapped);
  return ARGON2_OK;
}

void release(std::uint8_t* memory, std::size_t size) { ::munmap(memory, size); }  // the library has wiped it

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
  context.allocate_cbk = allocate;
  context.free_cbk = release;
  const int outcome = argon2_ctx(&context, library_type(costs.type));
  if (outcome != ARGON2_OK) return fail(Code::Error, std::string("Argon2 failed: ") + argon2_error_message(outcome));
  return key;
}

}  // namespace cairn::crypt
