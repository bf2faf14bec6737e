// AES-256-CTR with a MAC over the result: how Borg 1 encrypts objects, with HMAC-SHA-256 or with BLAKE2b.
//
// An envelope of Borg 1 is type byte, MAC, IV, ciphertext; the MAC covers IV and ciphertext. The counter block is 8
// zero bytes and the IV, big-endian, and counts on through all 16.
//
// Threads   one context per worker.
// Errors    seal and open say false if OpenSSL refuses; for open also if the MAC does not fit. It is compared in
// constant
//           time, before anything is decrypted.
// Source    docs/format/borg1.md section 2.1.
#pragma once

#include <memory>

#include "base/bytes.h"
#include "hash/blake2b.h"
#include "hash/blake3.h"
#include "hash/sha256.h"

struct evp_cipher_ctx_st;

namespace cairn::crypt {

class CtrMac {
 public:
  static constexpr std::size_t kIvSize = 8;
  static constexpr std::size_t kMacSize = 32;
  enum class Mac { HmacSha256, Blake2b256 };

  // `mac_key` has 32 bytes for HMAC-SHA-256 and 128 for BLAKE2b in real repositories; any length works.
  CtrMac(Mac kind, const hash::Key256& encryption_key, Bytes mac_key);
  CtrMac(CtrMac&&) noexcept;
  CtrMac& operator=(CtrMac&&) noexcept;
  ~CtrMac();  // OpenSSL and the hashes wipe what they know of the keys

  // `cipher_text` has the plaintext's size; it may be the same memory.
  [[nodiscard]] bool seal(Bytes iv, Bytes plain, MutableBytes cipher_text, MutableBytes mac);
  [[nodiscard]] bool open(Bytes iv, Bytes cipher_text, Bytes mac, MutableBytes plain);

 private:
  bool crypt(Bytes iv, Bytes input, MutableBytes output);
  Digest256 mac_of(Bytes iv, Bytes cipher_text) const;

  struct Free {
    void operator()(evp_cipher_ctx_st* context) const;
  };
  bool keyed_ = false;
  std::unique_ptr<evp_cipher_ctx_st, Free> cipher_;
  std::unique_ptr<hash::HmacSha256> hmac_;       // one of the two
  std::unique_ptr<hash::Blake2b256> after_key_;  // has absorbed the key
};

}  // namespace cairn::crypt
