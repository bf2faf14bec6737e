// SHA-256 and HMAC-SHA-256 (OpenSSL, which picks the hardware's instructions).
//
// Threads   objects are not thread-safe, but const HmacSha256 is: every call works on a copy of the keyed state.
#pragma once

#include <array>
#include <initializer_list>
#include <memory>
#include <span>

#include "base/bytes.h"

namespace cairn::hash {

Digest256 sha256(Bytes input);
Digest256 sha256(std::initializer_list<Bytes> pieces);  // of the pieces joined

// Keyed once, used many times.
class HmacSha256 {
 public:
  explicit HmacSha256(Bytes key);
  HmacSha256(HmacSha256&&) noexcept;
  HmacSha256& operator=(HmacSha256&&) noexcept;
  ~HmacSha256();
  Digest256 operator()(std::initializer_list<Bytes> pieces) const;
  Digest256 operator()(std::span<const Bytes> pieces) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace cairn::hash
