// The deterministic random source of the chunkers' secret tables: the AES-256-CTR key stream of a 32-byte key, counter
// from zero, consumed strictly in order.
// Threads   not thread-safe. Source: docs/format (chunkers, section 2.2).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>

#include "base/bytes.h"
#include "hash/blake3.h"

namespace cairn::chunk {

class KeyStream {
 public:
  explicit KeyStream(const hash::Key256& key);
  KeyStream(const KeyStream&) = delete;
  KeyStream& operator=(const KeyStream&) = delete;
  ~KeyStream();  // wipes what it has not given out

  void fill(MutableBytes to);
  std::uint64_t next_u64();                  // 8 bytes, little-endian
  std::uint32_t below(std::uint32_t bound);  // uniform in [0, bound); bound > 0; 1 consumes nothing
  void shuffle(std::span<std::uint8_t> list);

 private:
  struct Cipher;
  std::unique_ptr<Cipher> cipher_;
  std::array<std::byte, 4096> buffer_;
  std::size_t used_ = buffer_.size();
};

}  // namespace cairn::chunk
