// Making, moving and wiping key material, and the one derivation that everything else uses.
// Source: docs/format/crypto.md, section 2.
#include "crypt/key_material.h"

#include <openssl/crypto.h>
#include <sys/mman.h>
#include <sys/random.h>

#include <cerrno>

#include "base/check.h"
#include "hash/sha256.h"

namespace cairn::crypt {

void wipe(MutableBytes bytes) {
  if (!bytes.empty()) OPENSSL_cleanse(bytes.data(), bytes.size());
}

void keep_out_of_swap(Bytes bytes) {
  // Only a courtesy: the limit on locked memory may be 0. The page is never unlocked, since other secrets may share it.
  if (!bytes.empty()) static_cast<void>(::mlock(bytes.data(), bytes.size()));
}

void random_bytes(MutableBytes out) {
  while (!out.empty()) {
    const ssize_t got = ::getrandom(out.data(), out.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    CAIRN_CHECK(got > 0, "the system's random generator failed");
    out = out.subspan(static_cast<std::size_t>(got));
  }
}

KeyMaterial::KeyMaterial() {
  keep_out_of_swap(crypt_key);
  keep_out_of_swap(id_key);
}

KeyMaterial::KeyMaterial(KeyMaterial&& other) noexcept : KeyMaterial() { *this = std::move(other); }

KeyMaterial& KeyMaterial::operator=(KeyMaterial&& other) noexcept {
  if (this == &other) return *this;
  crypt_key = other.crypt_key;
  id_key = other.id_key;
  chunk_seed = other.chunk_seed;
  repository_id = other.repository_id;
  wipe(other.crypt_key);
  wipe(other.id_key);
  other.chunk_seed = 0;
  return *this;
}

KeyMaterial::~KeyMaterial() {
  wipe(crypt_key);
  wipe(id_key);
  wipe(std::as_writable_bytes(std::span(&chunk_seed, 1)));
}

KeyMaterial KeyMaterial::duplicate() const {
  KeyMaterial copy;
  copy.crypt_key = crypt_key;
  copy.id_key = id_key;
  copy.chunk_seed = chunk_seed;
  copy.repository_id = repository_id;
  return copy;
}

KeyMaterial make_key_material(const RepositoryId& repository_id) {
  KeyMaterial made;
  made.repository_id = repository_id;
  random_bytes(made.crypt_key);
  random_bytes(made.id_key);
  random_bytes(std::as_writable_bytes(std::span(&made.chunk_seed, 1)));
  return made;
}

hash::Key256 derive_key(Bytes from, Bytes salt, std::string_view domain) {
  return hash::sha256({from, salt, bytes_of(domain)}).raw;
}

}  // namespace cairn::crypt
