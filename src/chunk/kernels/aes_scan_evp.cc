// The reference: digests one after the other, encrypted by OpenSSL in batches. For CPUs without AES instructions, where
// OpenSSL has code that no other process can time.
#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <memory>

#include "base/bytes.h"
#include "base/check.h"
#include "chunk/kernels/aes_digest.h"

namespace cairn::chunk::kernels {
namespace {

constexpr std::size_t kBatch = 512;  // one call of the library costs as much as some ten blocks
constexpr std::size_t kBlock = 16;

struct Free {
  void operator()(EVP_CIPHER_CTX* owned) const { EVP_CIPHER_CTX_free(owned); }
};

}  // namespace

template <class Digest>
std::size_t aes_find_evp(const AesSecret<Digest>& secret, const std::byte* data, std::size_t size, std::uint64_t mask) {
  // A context is not for several threads, and cutters are; so one is made per call.
  const std::unique_ptr<EVP_CIPHER_CTX, Free> context(EVP_CIPHER_CTX_new());
  const bool ready = context != nullptr &&
                     EVP_EncryptInit_ex(context.get(), EVP_aes_128_ecb(), nullptr, secret.round_keys[0], nullptr) == 1;
  CAIRN_CHECK(ready, "OpenSSL cannot start AES-128-ECB");

  std::byte blocks[kBatch * kBlock] = {};
  std::uint64_t digest = digest_before(secret.digest, data);
  std::size_t hit = size;
  // Batches grow, so that a search which ends soon costs little.
  for (std::size_t i = 0, batch = kBatch / 8; i < size && hit == size; i += batch, batch = kBatch) {
    batch = size - i < batch ? size - i : batch;
    for (std::size_t k = 0; k < batch; ++k) {
      digest = roll(secret.digest, digest, *(data + i + k - kAesWindow), data[i + k]);
      store_le(blocks + k * kBlock, digest);
      store_le(blocks + k * kBlock + 8, std::uint64_t{0});
    }
    auto* const bytes = reinterpret_cast<unsigned char*>(blocks);
    int written = 0;
    const int length = static_cast<int>(batch * kBlock);
    CAIRN_CHECK(EVP_EncryptUpdate(context.get(), bytes, &written, bytes, length) == 1 && written == length,
                "AES-128-ECB failed");
    for (std::size_t k = 0; k < batch && hit == size; ++k) {
      if ((load_le<std::uint64_t>(blocks + k * kBlock) & mask) == 0) hit = i + k;
    }
  }
  return hit;
}

template std::size_t aes_find_evp(const AesSecret<ToeplitzDigest>&, const std::byte*, std::size_t, std::uint64_t);
template std::size_t aes_find_evp(const AesSecret<RabinDigest>&, const std::byte*, std::size_t, std::uint64_t);
template std::size_t aes_find_evp(const AesSecret<GoldilocksDigest>&, const std::byte*, std::size_t, std::uint64_t);

}  // namespace cairn::chunk::kernels
