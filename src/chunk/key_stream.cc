#include "chunk/key_stream.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "base/check.h"

namespace cairn::chunk {

struct KeyStream::Cipher {
  struct Free {
    void operator()(EVP_CIPHER_CTX* owned) const { EVP_CIPHER_CTX_free(owned); }
  };
  std::unique_ptr<EVP_CIPHER_CTX, Free> context{EVP_CIPHER_CTX_new()};
};

KeyStream::KeyStream(const hash::Key256& key) : cipher_(std::make_unique<Cipher>()) {
  const std::array<unsigned char, 16> zero_counter{};
  const bool ready = cipher_->context != nullptr &&
                     EVP_EncryptInit_ex(cipher_->context.get(), EVP_aes_256_ctr(), nullptr,
                                        reinterpret_cast<const unsigned char*>(key.data()), zero_counter.data()) == 1;
  CAIRN_CHECK(ready, "OpenSSL cannot start AES-256-CTR");
}

KeyStream::~KeyStream() { OPENSSL_cleanse(buffer_.data(), buffer_.size()); }

void KeyStream::fill(MutableBytes to) {
  while (!to.empty()) {
    if (used_ == buffer_.size()) {
      buffer_.fill(std::byte{0});
      auto* const bytes = reinterpret_cast<unsigned char*>(buffer_.data());
      int written = 0;
      const int ok =
          EVP_EncryptUpdate(cipher_->context.get(), bytes, &written, bytes, static_cast<int>(buffer_.size()));
      CAIRN_CHECK(ok == 1 && written == static_cast<int>(buffer_.size()), "AES-256-CTR failed");
      used_ = 0;
    }
    const std::size_t count = std::min(to.size(), buffer_.size() - used_);
    std::memcpy(to.data(), buffer_.data() + used_, count);
    used_ += count;
    to = to.subspan(count);
  }
}

std::uint64_t KeyStream::next_u64() {
  std::array<std::byte, 8> bytes;
  fill(bytes);
  return load_le<std::uint64_t>(bytes.data());
}

std::uint32_t KeyStream::below(std::uint32_t bound) {
  CAIRN_CHECK(bound > 0, "no number is below zero");
  if (bound == 1) return 0;
  const int unused_bits = std::countl_zero(bound - 1);
  const std::size_t count = sizeof bound - static_cast<std::size_t>(unused_bits) / 8;
  // Rejected at most every other time, so this ends; Borg's way out after 1000 rejections is never seen.
  while (true) {
    std::array<std::byte, 4> bytes{};
    fill(MutableBytes(bytes).last(count));
    const std::uint32_t value = load_be<std::uint32_t>(bytes.data()) & (0xffffffffU >> unused_bits);
    if (value < bound) return value;
  }
}

void KeyStream::shuffle(std::span<std::uint8_t> list) {
  for (std::size_t i = list.size(); i-- > 1;) std::swap(list[i], list[below(static_cast<std::uint32_t>(i + 1))]);
}

}  // namespace cairn::chunk
