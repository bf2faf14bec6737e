// One keyed AEAD context: AES-256-OCB or ChaCha20-Poly1305 with a 12-byte nonce and a 16-byte tag, through OpenSSL.
//
// Threads   one context per worker. Setting a key costs about a microsecond, a message only its nonce.
// Errors    seal and open say false if OpenSSL refuses; for open that means that the tag does not fit.
// Source    RFC 7253, RFC 8439; docs/format/crypto.md, section 4.1.
#pragma once

#include <memory>

#include "base/bytes.h"
#include "crypt/suite.h"
#include "hash/blake3.h"

struct evp_cipher_ctx_st;

namespace cairn::crypt {

class Aead {
 public:
  static constexpr std::size_t kNonceSize = 12;
  static constexpr std::size_t kTagSize = 16;

  explicit Aead(Cipher cipher);  // not Cipher::Authenticated

  // To be called before the first message. `sealing` says which of the two calls below will follow.
  [[nodiscard]] bool set_key(const hash::Key256& key, bool sealing);
  // `cipher_text` has the plaintext's size. The two parts of the additional data count as joined.
  [[nodiscard]] bool seal(Bytes nonce, Bytes aad, Bytes more_aad, Bytes plain, MutableBytes cipher_text,
                          MutableBytes tag);
  // On failure `plain` holds rubbish that must not be used.
  [[nodiscard]] bool open(Bytes nonce, Bytes aad, Bytes more_aad, Bytes cipher_text, Bytes tag, MutableBytes plain);

 private:
  bool feed_aad(Bytes aad, Bytes more_aad);
  bool crypt(Bytes input, MutableBytes output);
  bool finish(MutableBytes output);

  struct Free {
    void operator()(evp_cipher_ctx_st* context) const;
  };
  Cipher cipher_;
  std::unique_ptr<evp_cipher_ctx_st, Free> context_;
};

}  // namespace cairn::crypt
