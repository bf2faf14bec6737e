// OpenSSL's EVP interface behind Aead. The cipher is fetched once per process and the key set once per session; a
// message then costs one call each for nonce, additional data, text, end and tag.
#include "crypt/aead.h"

#include <openssl/evp.h>

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "cpu/wide_registers.h"

namespace cairn::crypt {

namespace {

// EVP takes int lengths.
constexpr std::size_t kMaxUpdate = std::size_t{1} << 30U;

const unsigned char* raw(const std::byte* bytes) { return reinterpret_cast<const unsigned char*>(bytes); }  // NOLINT
unsigned char* raw(std::byte* bytes) { return reinterpret_cast<unsigned char*>(bytes); }                    // NOLINT

// Fetching walks the provider's tables under a lock, so it is done once; the result is kept until the program ends.
EVP_CIPHER* fetched(Cipher cipher) {
  if (cipher == Cipher::Aes256Ocb) {
    static EVP_CIPHER* const ocb = EVP_CIPHER_fetch(nullptr, "AES-256-OCB", nullptr);
    return ocb;
  }
  static EVP_CIPHER* const chacha = EVP_CIPHER_fetch(nullptr, "ChaCha20-Poly1305", nullptr);
  return chacha;
}

}  // namespace

void Aead::Free::operator()(evp_cipher_ctx_st* context) const { EVP_CIPHER_CTX_free(context); }

Aead::Aead(Cipher cipher) : cipher_(cipher), context_(EVP_CIPHER_CTX_new()) {
  CAIRN_CHECK(cipher != Cipher::Authenticated, "a suite without a cipher");
  CAIRN_CHECK(context_ != nullptr, "out of memory");
}

bool Aead::set_key(const hash::Key256& key, bool sealing) {
  EVP_CIPHER* const cipher = fetched(cipher_);  // null where OpenSSL was built without it
  EVP_CIPHER_CTX* const c = context_.get();
  return cipher != nullptr && EVP_CipherInit_ex(c, cipher, nullptr, nullptr, nullptr, sealing ? 1 : 0) == 1 &&
         EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_IVLEN, kNonceSize, nullptr) == 1 &&
         EVP_CipherInit_ex(c, nullptr, nullptr, raw(key.data()), nullptr, -1) == 1;
}

bool Aead::feed_aad(Bytes aad, Bytes more_aad) {
  // Usually both parts are short; joined they cost one call instead of two.
  std::byte joined[256];
  if (aad.size() + more_aad.size() <= sizeof joined) {
    std::copy(aad.begin(), aad.end(), joined);
    std::copy(more_aad.begin(), more_aad.end(), joined + aad.size());
    aad = Bytes(joined, aad.size() + more_aad.size());
    more_aad = {};
  }
  for (Bytes part : {aad, more_aad}) {
    while (!part.empty()) {
      const std::size_t count = std::min(part.size(), kMaxUpdate);
      int written = 0;
      if (EVP_CipherUpdate(context_.get(), nullptr, &written, raw(part.data()), static_cast<int>(count)) != 1)
        return false;
      part = part.subspan(count);
    }
  }
  return true;
}

bool Aead::crypt(Bytes input, MutableBytes output) {
  std::size_t done = 0;
  while (!input.empty()) {
    const std::size_t count = std::min(input.size(), kMaxUpdate);
    int written = 0;
    if (EVP_CipherUpdate(context_.get(), raw(output.data()) + done, &written, raw(input.data()),
                         static_cast<int>(count)) != 1)
      return false;
    done += static_cast<std::size_t>(written);
    input = input.subspan(count);
  }
  // OCB keeps an incomplete last block back until here.
  const bool finished = finish(output.subspan(done));
  if (cipher_ == Cipher::ChaCha20Poly1305) cpu::release_wide_registers();  // OpenSSL's AVX-512 code does not
  return finished;
}

bool Aead::finish(MutableBytes output) {
  int written = 0;
  unsigned char last[EVP_MAX_BLOCK_LENGTH];
  if (EVP_CipherFinal_ex(context_.get(), last, &written) != 1) return false;
  if (static_cast<std::size_t>(written) != output.size()) return false;
  if (written > 0) std::memcpy(output.data(), last, output.size());
  return true;
}

bool Aead::seal(Bytes nonce, Bytes aad, Bytes more_aad, Bytes plain, MutableBytes cipher_text, MutableBytes tag) {
  CAIRN_CHECK(nonce.size() == kNonceSize && tag.size() == kTagSize && cipher_text.size() == plain.size(), "wrong size");
  EVP_CIPHER_CTX* const c = context_.get();
  return EVP_CipherInit_ex(c, nullptr, nullptr, nullptr, raw(nonce.data()), -1) == 1 && feed_aad(aad, more_aad) &&
         crypt(plain, cipher_text) && EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, kTagSize, tag.data()) == 1;
}

bool Aead::open(Bytes nonce, Bytes aad, Bytes more_aad, Bytes cipher_text, Bytes tag, MutableBytes plain) {
  CAIRN_CHECK(nonce.size() == kNonceSize && tag.size() == kTagSize && cipher_text.size() == plain.size(), "wrong size");
  EVP_CIPHER_CTX* const c = context_.get();
  std::byte expected[kTagSize];  // the call below takes a pointer to non-const
  std::copy(tag.begin(), tag.end(), expected);
  return EVP_CipherInit_ex(c, nullptr, nullptr, nullptr, raw(nonce.data()), -1) == 1 &&
         EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_TAG, kTagSize, expected) == 1 && feed_aad(aad, more_aad) &&
         crypt(cipher_text, plain);
}

}  // namespace cairn::crypt
