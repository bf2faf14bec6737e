#include "crypt/ctr_mac.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/check.h"

namespace cairn::crypt {
namespace {

// EVP takes int lengths.
constexpr std::size_t kMaxUpdate = std::size_t{1} << 30U;
constexpr std::size_t kCounterBlock = 16;

const unsigned char* raw(const std::byte* bytes) { return reinterpret_cast<const unsigned char*>(bytes); }  // NOLINT
unsigned char* raw(std::byte* bytes) { return reinterpret_cast<unsigned char*>(bytes); }                    // NOLINT

}  // namespace

void CtrMac::Free::operator()(evp_cipher_ctx_st* context) const { EVP_CIPHER_CTX_free(context); }

CtrMac::CtrMac(Mac kind, const hash::Key256& encryption_key, Bytes mac_key) : cipher_(EVP_CIPHER_CTX_new()) {
  CAIRN_CHECK(cipher_ != nullptr, "out of memory");
  static EVP_CIPHER* const ctr = EVP_CIPHER_fetch(nullptr, "AES-256-CTR", nullptr);
  keyed_ =
      ctr != nullptr && EVP_CipherInit_ex(cipher_.get(), ctr, nullptr, raw(encryption_key.data()), nullptr, 1) == 1;
  if (kind == Mac::HmacSha256) {
    hmac_ = std::make_unique<hash::HmacSha256>(mac_key);
  } else {
    after_key_ = std::make_unique<hash::Blake2b256>();
    after_key_->update(mac_key);
  }
}

CtrMac::CtrMac(CtrMac&&) noexcept = default;
CtrMac& CtrMac::operator=(CtrMac&&) noexcept = default;
CtrMac::~CtrMac() = default;

// The counter mode's two directions are one.
bool CtrMac::crypt(Bytes iv, Bytes input, MutableBytes output) {
  std::array<std::byte, kCounterBlock> counter{};
  std::ranges::copy(iv, counter.end() - kIvSize);
  if (!keyed_ || EVP_CipherInit_ex(cipher_.get(), nullptr, nullptr, nullptr, raw(counter.data()), -1) != 1)
    return false;
  while (!input.empty()) {
    const std::size_t count = std::min(input.size(), kMaxUpdate);
    int written = 0;
    if (EVP_CipherUpdate(cipher_.get(), raw(output.data()), &written, raw(input.data()), static_cast<int>(count)) != 1)
      return false;
    input = input.subspan(count);
    output = output.subspan(count);
  }
  return true;
}

Digest256 CtrMac::mac_of(Bytes iv, Bytes cipher_text) const {
  if (hmac_) return (*hmac_)({iv, cipher_text});
  hash::Blake2b256 running = *after_key_;
  running.update(iv);
  running.update(cipher_text);
  return running.finish();
}

bool CtrMac::seal(Bytes iv, Bytes plain, MutableBytes cipher_text, MutableBytes mac) {
  CAIRN_CHECK(iv.size() == kIvSize && mac.size() == kMacSize && cipher_text.size() == plain.size(), "wrong size");
  if (!crypt(iv, plain, cipher_text)) return false;
  std::ranges::copy(mac_of(iv, cipher_text).raw, mac.begin());
  return true;
}

bool CtrMac::open(Bytes iv, Bytes cipher_text, Bytes mac, MutableBytes plain) {
  CAIRN_CHECK(iv.size() == kIvSize && mac.size() == kMacSize && cipher_text.size() == plain.size(), "wrong size");
  const Digest256 expected = mac_of(iv, cipher_text);
  if (CRYPTO_memcmp(expected.raw.data(), mac.data(), kMacSize) != 0) return false;
  return crypt(iv, cipher_text, plain);
}

}  // namespace cairn::crypt
