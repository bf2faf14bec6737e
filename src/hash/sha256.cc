// SHA-256 through OpenSSL's EVP. The method is fetched once; the two keyed halves of an HMAC are absorbed once and
// copied for every message, which saves two of its four or more blocks for a short one.
#include "hash/sha256.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include "base/check.h"

namespace cairn::hash {
namespace {

struct FreeContext {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};
using Context = std::unique_ptr<EVP_MD_CTX, FreeContext>;

constexpr std::size_t kBlock = 64;
using BlockBytes = std::array<std::byte, kBlock>;

const EVP_MD* method() {
  static const EVP_MD* const fetched = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  CAIRN_CHECK(fetched != nullptr, "OpenSSL has no SHA-256");
  return fetched;
}

Context new_context() {
  Context context(EVP_MD_CTX_new());
  CAIRN_CHECK(context != nullptr, "out of memory");
  return context;
}

void start(EVP_MD_CTX* context) { CAIRN_CHECK(EVP_DigestInit_ex(context, method(), nullptr) == 1, "SHA-256 failed"); }

void add(EVP_MD_CTX* context, Bytes bytes) {
  if (bytes.empty()) return;
  CAIRN_CHECK(EVP_DigestUpdate(context, bytes.data(), bytes.size()) == 1, "SHA-256 failed");
}

void copy(EVP_MD_CTX* to, const EVP_MD_CTX* from) { CAIRN_CHECK(EVP_MD_CTX_copy_ex(to, from) == 1, "SHA-256 failed"); }

Digest256 finish(EVP_MD_CTX* context) {
  Digest256 digest;
  CAIRN_CHECK(EVP_DigestFinal_ex(context, reinterpret_cast<unsigned char*>(digest.raw.data()), nullptr) == 1,
              "SHA-256 failed");
  return digest;
}

Context absorbed(const BlockBytes& key_block, std::byte pad) {
  BlockBytes padded;
  for (std::size_t i = 0; i < kBlock; ++i) padded[i] = key_block[i] ^ pad;
  Context context = new_context();
  start(context.get());
  add(context.get(), padded);
  OPENSSL_cleanse(padded.data(), padded.size());
  return context;
}

}  // namespace

Digest256 sha256(Bytes input) { return sha256({input}); }

Digest256 sha256(std::initializer_list<Bytes> pieces) {
  const Context context = new_context();
  start(context.get());
  for (const Bytes piece : pieces) add(context.get(), piece);
  return finish(context.get());
}

// OpenSSL wipes a context's state when it frees it.
struct HmacSha256::State {
  Context inner;
  Context outer;
};

HmacSha256::HmacSha256(Bytes key) : state_(std::make_unique<State>()) {
  BlockBytes block{};
  if (key.size() > kBlock) {
    const Digest256 digest = sha256(key);
    std::memcpy(block.data(), digest.raw.data(), digest.raw.size());
  } else if (!key.empty()) {
    std::memcpy(block.data(), key.data(), key.size());
  }
  state_->inner = absorbed(block, std::byte{0x36});
  state_->outer = absorbed(block, std::byte{0x5c});
  OPENSSL_cleanse(block.data(), block.size());
}

HmacSha256::HmacSha256(HmacSha256&&) noexcept = default;
HmacSha256& HmacSha256::operator=(HmacSha256&&) noexcept = default;
HmacSha256::~HmacSha256() = default;

Digest256 HmacSha256::operator()(std::initializer_list<Bytes> pieces) const {
  return (*this)(std::span<const Bytes>(pieces.begin(), pieces.size()));
}

Digest256 HmacSha256::operator()(std::span<const Bytes> pieces) const {
  const Context context = new_context();
  copy(context.get(), state_->inner.get());
  for (const Bytes piece : pieces) add(context.get(), piece);
  const Digest256 inner = finish(context.get());
  copy(context.get(), state_->outer.get());
  add(context.get(), inner.bytes());
  return finish(context.get());
}

}  // namespace cairn::hash
