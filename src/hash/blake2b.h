// BLAKE2b with 32 bytes of output, no key and no salt: what Borg 1 names and authenticates objects with in its BLAKE2
// modes. It puts its keys in front of the message.
//
// Input     any length.
// Threads   objects are not thread-safe. A copy of a Blake2b256 goes on where the original stands: absorb a key once,
//           copy it for every message.
// Source    RFC 7693; docs/format/borg1.md section 2.1.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "base/bytes.h"

namespace cairn::hash {

class Blake2b256 {
 public:
  Blake2b256();
  Blake2b256(const Blake2b256&) = default;
  Blake2b256& operator=(const Blake2b256&) = default;
  ~Blake2b256();  // wipes what it has absorbed

  void update(Bytes input);
  Digest256 finish() const;  // may be called more than once; update() may go on afterwards

 private:
  static constexpr std::size_t kBlock = 128;
  struct State {
    std::uint64_t chain[8];
    std::uint64_t absorbed;  // bytes that `chain` has taken in
    std::size_t held;        // bytes in `block`: all of them stay until more input comes, since the last block differs
    std::byte block[kBlock];
  } state_;
};

Digest256 blake2b_256(std::initializer_list<Bytes> pieces);  // of the pieces joined

}  // namespace cairn::hash
