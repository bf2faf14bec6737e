// Memory handling of Secret; see the header.
#include "crypt/secret.h"

#include <openssl/crypto.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "crypt/key_material.h"

namespace cairn::crypt {

Secret::Secret(std::string_view text) { append(text); }

Secret::Secret(Secret&& other) noexcept
    : data_(std::move(other.data_)),
      size_(std::exchange(other.size_, 0)),
      capacity_(std::exchange(other.capacity_, 0)) {}

Secret& Secret::operator=(Secret&& other) noexcept {
  if (this == &other) return *this;
  clear();
  data_ = std::move(other.data_);
  size_ = std::exchange(other.size_, 0);
  capacity_ = std::exchange(other.capacity_, 0);
  return *this;
}

Secret::~Secret() { clear(); }

Secret Secret::take(std::string& text) {
  Secret secret{std::string_view(text)};
  wipe(std::as_writable_bytes(std::span(text.data(), text.size())));
  text.clear();
  return secret;
}

void Secret::clear() {
  if (data_) wipe(std::as_writable_bytes(std::span(data_.get(), capacity_)));
  data_.reset();
  size_ = capacity_ = 0;
}

void Secret::append(std::string_view text) {
  if (text.empty()) return;
  if (text.size() > capacity_ - size_) {
    Secret larger;
    larger.capacity_ = std::max<std::size_t>(64, 2 * (size_ + text.size()));
    larger.data_ = std::make_unique<char[]>(larger.capacity_);
    keep_out_of_swap(std::as_bytes(std::span(larger.data_.get(), larger.capacity_)));
    larger.size_ = size_;
    if (size_ != 0) std::memcpy(larger.data_.get(), data_.get(), size_);
    *this = std::move(larger);
  }
  std::memcpy(data_.get() + size_, text.data(), text.size());
  size_ += text.size();
}

void Secret::strip_line_ends() {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < size_; ++i) {
    const char c = data_[i];
    if (c == '\r' && i + 1 < size_ && data_[i + 1] == '\n') continue;
    data_[kept++] = c == '\r' ? '\n' : c;
  }
  while (kept > 0 && data_[kept - 1] == '\n') --kept;
  size_ = kept;
}

bool operator==(const Secret& a, const Secret& b) {
  return a.size_ == b.size_ && (a.size_ == 0 || CRYPTO_memcmp(a.data_.get(), b.data_.get(), a.size_) == 0);
}

}  // namespace cairn::crypt
