// Sealing and opening envelopes: AEAD (AES-256-OCB, ChaCha20-Poly1305) or MAC (HMAC-SHA-256, keyed BLAKE3).
//
// Threads   a Sealer or an Opener belongs to one worker. Every Sealer has its own random session id and counter, so any
//           number of them may be active; an IV never repeats and a session rolls over before the cipher's limit.
// Errors    open: Integrity ("truncated envelope", "Invalid encryption envelope", "Could not decrypt ...",
//           "envelope tag verification failed"). seal: Internal only.
// Source    docs/format (crypto, section 4).
#pragma once

#include <cstdint>
#include <memory>

#include "base/buffer.h"
#include "base/bytes.h"
#include "base/error.h"
#include "crypt/key_material.h"
#include "crypt/suite.h"

namespace cairn::crypt {

class Sealer {
 public:
  // `material` must outlive the Sealer.
  Sealer(const Suite& suite, const KeyMaterial& material);
  Sealer(Sealer&&) noexcept;
  Sealer& operator=(Sealer&&) noexcept;
  ~Sealer();

  // Writes payload.size() + suite.overhead() bytes to `out` (which must have that size and not overlap the payload).
  // `aad` is what the specification calls extra_aad || id, in this order.
  Status seal(Bytes aad, Bytes payload, MutableBytes out);
  // A session of its own for this one message (IV 0): for messages made by background threads, such as locks.
  static Status seal_once(const Suite& suite, const KeyMaterial& material, Bytes aad, Bytes payload, MutableBytes out);

  // For tests: a fixed session id, first IV and block limit.
  struct Session {
    std::array<std::byte, 24> id;
    std::uint64_t next_iv = 1;
    std::uint64_t block_limit = std::uint64_t{1} << 37U;
  };
  void use_session(const Session& session);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

class Opener {
 public:
  Opener(const Suite& suite, const KeyMaterial& material);
  Opener(Opener&&) noexcept;
  Opener& operator=(Opener&&) noexcept;
  ~Opener();

  // Replaces `payload`. The derived key of the last session id seen is kept, since neighbours share it.
  Status open(Bytes aad, Bytes envelope, Buffer& payload);
  // BORG_WORKAROUNDS=authenticated_no_key: MAC envelopes are unwrapped without verifying.
  void trust_unverified();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace cairn::crypt
